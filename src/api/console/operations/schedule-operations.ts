import type { ConsoleSchedule, ConsoleScheduleStart } from '#contract/console-messages.ts';
import { checkOwnKey } from '#contract/model-controls.ts';
import { modelRow, normaliseModel } from '#contract/models.ts';
import { isProblem, type Problem, problem } from '#contract/problems.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts';
import { defaultScheduledSession, type Schedule, type ScheduledSession } from '#sessions/schedules/schedules.ts';
import { findProfile } from '#store/queries/profiles.ts';
import { findWorkspace } from '#store/queries/files.ts';
import type { ConsoleContext, ConsoleOperation } from '../console-operation.ts';

/** Lists the scheduled tasks of the project: ended tasks come last, and in each group the newest comes first. */
export const listSchedules: ConsoleOperation = {
  guard: 'project',
  async answer({ login }, { schedules }) {
    return { status: 200, body: (await schedules.list(login.projectId)).map(shownSchedule) };
  },
};

/** Creates a scheduled task, which is active at once. */
export const createSchedule: ConsoleOperation = {
  guard: 'scheduler',
  async answer({ login: { projectId }, body }, tools) {
    const wanted = isJsonObject(body) ? body : {};
    const session = await readSession(tools, projectId, wanted);
    if (isProblem(session)) return session;
    const cron = readText(wanted['cron']);
    const timing = cron === null ? { at: readText(wanted['at']) ?? '' } : { cron };
    const made = await tools.schedules.create({
      projectId,
      task: readText(wanted['task']) ?? '',
      timing,
      session,
      proposedBy: null,
    });
    if ('fault' in made)
      return problem('schedule_timing_invalid', { fault: made.fault }, ['body', 'cron' in timing ? 'cron' : 'at']);
    if ('limit' in made) return problem('too_many_schedules', { limit: String(made.limit) });
    return { status: 200, body: shownSchedule(made) };
  },
};

/** Confirms the proposal of an agent. A schedule that is not a proposal stays unchanged. */
export const confirmSchedule: ConsoleOperation = {
  guard: 'scheduler',
  answer: async ({ login, path }, { schedules }) => shownOr404(await schedules.confirm(login.projectId, pathId(path))),
};

/** Ends a scheduled task, or refuses the proposal of an agent. */
export const endSchedule: ConsoleOperation = {
  guard: 'scheduler',
  answer: async ({ login, path }, { schedules }) => shownOr404(await schedules.end(login.projectId, pathId(path))),
};

function pathId(path: Readonly<Record<string, string>>): string {
  return (path['schedule_id'] ?? '').toLowerCase();
}

function shownOr404(schedule: Schedule | null): { status: number; body: ConsoleSchedule } | Problem {
  return schedule === null ? problem('schedule_not_found', {}) : { status: 200, body: shownSchedule(schedule) };
}

/**
 * Returns the settings of the sessions that a new schedule starts, or the refusal of their model, profile or workspace.
 */
async function readSession(
  { rules, db }: ConsoleContext,
  projectId: string,
  wanted: JsonObject,
): Promise<ScheduledSession | Problem> {
  const model = normaliseModel(rules, 'v3', readText(wanted['model']) ?? rules.models.v3.default.model);
  const useOwnKey = wanted['useOwnKey'] === true;
  if (modelRow(rules, 'v3', model) === undefined) return problem('model_unknown', { found: model }, ['body', 'model']);
  const refusal = checkOwnKey(rules, { model, ownKey: useOwnKey });
  if (refusal !== null) return problem(refusal.code, refusal.values, ['body', ...refusal.path]);
  const places = { profileId: readId(wanted['profileId']), workspaceId: readId(wanted['workspaceId']) };
  const missing = await findMissing(db, projectId, places);
  if (missing !== null) return missing;
  const { maxCostMicros } = wanted;
  const ceiling = typeof maxCostMicros === 'number' ? { maxCostMicros } : {};
  return { ...defaultScheduledSession, model, useOwnKey, ...places, ...ceiling };
}

/**
 * Returns the refusal of a profile or workspace that the project does not have, or of an archived workspace; else null.
 */
async function findMissing(
  db: ConsoleContext['db'],
  projectId: string,
  { profileId, workspaceId }: Pick<ScheduledSession, 'profileId' | 'workspaceId'>,
): Promise<Problem | null> {
  if (profileId !== null && (await findProfile(db, { projectId, id: profileId })) === null)
    return problem('profile_not_found', {});
  const workspace = workspaceId === null ? null : await findWorkspace(db, projectId, workspaceId);
  if (workspaceId !== null && (workspace === null || workspace.archivedAt !== null))
    return problem('workspace_not_found', {});
  return null;
}

function readId(value: JsonValue | undefined): string | null {
  return readText(value)?.toLowerCase() ?? null;
}

function readText(value: JsonValue | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

function shownSchedule(schedule: Schedule): ConsoleSchedule {
  const { projectId: _, nextAtMs, createdAtMs, endedAtMs, latest, ...same } = schedule;
  return {
    ...same,
    nextAt: isoTime(nextAtMs),
    createdAt: new Date(createdAtMs).toISOString(),
    endedAt: isoTime(endedAtMs),
    latest: shownStart(latest),
  };
}

function shownStart(start: Schedule['latest']): ConsoleScheduleStart | null {
  if (start === null) return null;
  const { dueAtMs, startedAtMs, sessionId, refusal } = start;
  const [dueAt, startedAt] = [new Date(dueAtMs).toISOString(), new Date(startedAtMs).toISOString()];
  return { dueAt, startedAt, sessionId, refusal };
}

function isoTime(timeMs: number | null): string | null {
  return timeMs === null ? null : new Date(timeMs).toISOString();
}
