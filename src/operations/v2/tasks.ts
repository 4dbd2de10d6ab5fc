import type { ParsedRequest, Operation } from '../operation.ts';
import { statesShownAs, isTerminal } from '#contract/lifecycle.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { RequestContext } from '../common/request-context.ts';
import type { RunFilter } from '#store/queries/runs.ts';
import type { RunOfSession } from '#store/tables/runs.ts';
import { renderItem, type WholeTask, renderTask, wholeTask, renderState } from './render-task.ts';
import { isProblem, problem, type Problem } from '#contract/problems.ts';
import type { components } from '#generated/v2.ts';
import { readBody, checkTaskSecrets, runSettings, taskSecrets } from './run-settings.ts';
import { type MaybePromise, whenResolved } from '#lib/maybe-promise.ts';
import { checkThinkingLevel } from '#contract/model-controls.ts';
import type { NewSession } from '#sessions/create-session.ts';
import type { FollowUp } from '#sessions/follow-up.ts';
import type { RunSettings } from '#sessions/run-settings.ts';
import { checkCountry, checkProvider } from '../common/check-settings.ts';
import { checkProfile, useProfile, checkProfileFree, oneShot } from '../common/sessions.ts';
import { tooMany } from '../common/refusals.ts';
import type { SessionRow } from '#store/tables/sessions.ts';
import { readSettings } from './sessions.ts';

type CreateTask = components['schemas']['CreateTask'];

type Command =
  | { readonly kind: 'create'; readonly wanted: NewSession }
  | { readonly kind: 'followUp'; readonly session: SessionRow; readonly wanted: FollowUp };

interface Accepted {
  readonly id: string;
  readonly sessionId: string;
}

/**
 * Creates a task in a given session, or in a new session that ends with the task: POST /tasks (contract section 4;
 * companion 5.1 and V2S4).
 */
export const createTask: Operation<RequestContext, Command, Accepted> = {
  async decide(request, context) {
    const body = readBody(request, 'CreateTask');
    const model = body.llm ?? context.rules.models.v2.default.model;
    const refusal = await checkBody(body, model, context);
    if (refusal !== null) return refusal;
    const settings = await runSettings(body, context);
    if (isProblem(settings)) return settings;
    const { sessionId = null } = body;
    if (sessionId !== null) return followUp(body, { model, sessionId, runSettings: settings }, context);
    return (await checkSettings(body, context)) ?? create(body, model, settings);
  },
  apply: (command, context) => (command.kind === 'create' ? open(command.wanted, context) : dispatch(command, context)),
  render: (accepted) => ({ status: 202, body: accepted }),
};

async function checkBody(body: CreateTask, model: string, context: RequestContext): Promise<Problem | null> {
  return (
    checkSettingsPlace(body) ??
    checkLevel(body, model, context) ??
    checkTaskSecrets(body, context.rules) ??
    (await checkProvider({ model, member: 'llm' }, context)) ??
    checkJudge(body, context)
  );
}

function checkJudge({ judge, judgeLlm }: CreateTask, context: RequestContext): Promise<Problem | null> | null {
  const isAsked = judge === true && typeof judgeLlm === 'string';
  return isAsked ? checkProvider({ model: judgeLlm, member: 'judgeLlm' }, context) : null;
}

function checkSettingsPlace({ sessionId, sessionSettings }: CreateTask): Problem | null {
  if (sessionSettings === undefined || sessionSettings === null || typeof sessionId !== 'string') return null;
  return problem('settings_with_session', {}, ['body', 'sessionSettings']);
}

/** Returns the refusal of `sessionSettings` that name a country without a proxy or an unknown profile; else null. */
async function checkSettings({ sessionSettings }: CreateTask, context: RequestContext): Promise<Problem | null> {
  const settings = sessionSettings ?? {};
  return checkCountry(settings, context, ['sessionSettings']) ?? (await checkProfile(settings.profileId, context));
}

/**
 * Returns the refusal of an unsupported thinkingLevel; else null. The legacy switch `thinking` neither selects a level
 * nor replaces `thinkingLevel` (contract section 4).
 */
function checkLevel({ thinkingLevel }: CreateTask, model: string, { rules }: RequestContext): Problem | null {
  const refusal = checkThinkingLevel(rules, { version: 'v2', model, level: thinkingLevel });
  return refusal === null ? null : problem(refusal.code, refusal.values, ['body', ...refusal.path]);
}

function create(body: CreateTask, model: string, settings: RunSettings): Command {
  const { task, thinkingLevel = null, sessionSettings } = body;
  const chosen = readSettings(sessionSettings ?? {});
  const run = { task, model, thinkingLevel, runSettings: settings, secrets: taskSecrets(body) };
  return { kind: 'create', wanted: { ...oneShot, ...run, ...chosen } };
}

async function followUp(
  body: CreateTask,
  { sessionId, ...run }: { model: string; sessionId: string; runSettings: RunSettings },
  { engine, scope }: RequestContext,
): Promise<Command | Problem> {
  const session = await engine.find(scope, sessionId);
  if (session === null) return problem('session_not_found', {});
  const { task, thinkingLevel = null } = body;
  const settings = { thinkingLevel };
  return { kind: 'followUp', session, wanted: { task, ...run, secrets: taskSecrets(body), settings } };
}

async function open(wanted: NewSession, context: RequestContext): Promise<Accepted | Problem> {
  const created = await context.engine.create(context.scope, { ...wanted, keyId: context.keyId });
  if ('tooMany' in created) return tooMany(created.tooMany);
  if ('profileHolder' in created) return problem('profile_in_use', { holder: created.profileHolder });
  await useProfile(wanted.profileId, context);
  if (created.runId === null) throw new Error('a session with a task was made without a run');
  return { id: created.runId, sessionId: created.session.id };
}

/**
 * Dispatches a task to an idle session, or queues the task for a starting session. If neither succeeds, tries to
 * dispatch again, because the session may have become idle meanwhile. If this fails too, refuses the task: 400 for a
 * busy or ended session (companion 3.1), 404 for a deleted session.
 */
async function dispatch(
  { session, wanted }: Command & { kind: 'followUp' },
  context: RequestContext,
): Promise<Accepted | Problem> {
  const { engine, scope, rules } = context;
  const refusal = await checkProfileFree(session, context);
  if (refusal !== null) return refusal;
  const accepted =
    (await engine.followUp(session, wanted)) ??
    (await engine.waitForStart(session, wanted)) ??
    (await engine.followUp(session, wanted));
  if (accepted !== null && 'tooMany' in accepted) return tooMany(accepted.tooMany);
  if (accepted !== null) return { id: accepted.runId, sessionId: session.id };
  const now = await engine.find(scope, session.id);
  if (now === null) return problem('session_not_found', {});
  const hasEnded = isTerminal(rules.lifecycle, now.status);
  return hasEnded ? problem('session_stopped', {}) : problem('session_busy', {});
}

interface Page {
  readonly filter: RunFilter;
  readonly page: number;
  readonly pageSize: number;
}

interface Found extends Page {
  readonly rows: RunOfSession[];
  readonly total: number;
}

/** Lists the tasks of the project by page: GET /tasks (companion 5.4). */
export const listTasks: Operation<RequestContext, Page, Found> = {
  decide: ({ query }, { rules }) => ({
    filter: readFilter(query, rules),
    page: Number(query['pageNumber']),
    pageSize: Number(query['pageSize']),
  }),
  apply: async (wanted, { engine, scope }) => ({ ...wanted, ...(await engine.pageOfRuns(scope, wanted)) }),
  render: ({ rows, total, page, pageSize }, context) => ({
    status: 200,
    body: {
      items: rows.map((row) => renderItem(row, context)),
      totalItems: total,
      pageNumber: page,
      pageSize,
    },
  }),
};

function readFilter(query: ParsedRequest['query'], rules: RuleBook): RunFilter {
  const { sessionId, filterBy, after, before } = query;
  return {
    sessionId: typeof sessionId === 'string' ? sessionId : null,
    statuses: typeof filterBy === 'string' ? statesShownAs(rules, 'v2', filterBy) : null,
    after: typeof after === 'string' ? parseTime(after) : null,
    before: typeof before === 'string' ? parseTime(before) : null,
  };
}

/**
 * Parses a date-time to milliseconds since the epoch. Accepts every form that request validation accepts: RFC 3339, a
 * space instead of `T`, and the offsets `+hh` and `+hhmm`. A date-time without an offset is in UTC. A leap second counts
 * as the second before it.
 */
function parseTime(text: string): number {
  const dateTime = text
    .toUpperCase()
    .replace(/\s/, 'T')
    .replace(/:60(?=[.Z+-]|$)/, ':59');
  const [offset, hours, minutes = '00'] = /([+-]\d{2})(?::?(\d{2}))?$/.exec(dateTime) ?? [];
  if (offset !== undefined) return Date.parse(`${dateTime.slice(0, -offset.length)}${hours}:${minutes}`);
  return Date.parse(dateTime.endsWith('Z') ? dateTime : `${dateTime}Z`);
}

/** Returns a task with its steps and files: GET /tasks/{task_id} (companion 5.1). */
export const getTask: Operation<RequestContext, RunOfSession, WholeTask> = {
  decide: findTaskOr404,
  apply: wholeTask,
  render: (task, context) => ({ status: 200, body: renderTask(task, context) }),
};

/** Returns the status of a task, which clients poll: GET /tasks/{task_id}/status (companion 5.1). */
export const getTaskStatus: Operation<RequestContext, RunOfSession, RunOfSession> = {
  decide: findTaskOr404,
  apply: (found) => found,
  render: (found, context) => ({ status: 200, body: renderState(found, context) }),
};

/**
 * Returns a signed URL of a task's log: GET /tasks/{task_id}/logs (companion 5.1). Refuses the request for a task that
 * has not started, because it has no log.
 */
export const getTaskLogs: Operation<RequestContext, RunOfSession, RunOfSession> = {
  async decide(request, context) {
    const found = await findTaskOr404(request, context);
    return isProblem(found) || found.run.startedAt !== null ? found : problem('task_log_missing', {});
  },
  apply: async (found) => found,
  render: ({ run }, { addresses }) => ({ status: 200, body: { downloadUrl: addresses.taskLog(run.id) } }),
};

interface Stop {
  readonly found: RunOfSession;
  readonly action: components['schemas']['TaskAction'];
}

/**
 * Stops a task: PATCH /tasks/{task_id} (companion 5.1). `stop_task_and_session` also ends the session of the task; so
 * does `stop`, unless the session is kept alive (V2S4).
 */
export const updateTask: Operation<RequestContext, Stop, WholeTask> = {
  async decide(request, context) {
    const found = await findTaskOr404(request, context);
    return isProblem(found) ? found : { found, action: readBody(request, 'UpdateTask').action };
  },
  async apply({ found, action }, context) {
    const { engine, scope } = context;
    const { run, session } = found;
    const takesSession = action === 'stop_task_and_session' || session.keepAlive === 0;
    await (takesSession ? engine.stop(session, 'session') : engine.stopRun(found));
    const now = await engine.findRun(scope, run.id);
    return now === null ? problem('task_not_found', {}) : wholeTask(now, context);
  },
  render: (task, context) => ({ status: 200, body: renderTask(task, context) }),
};

/** Returns the task in the path, or a 404 problem. Tasks of other projects and API versions are treated as absent. */
export function findTaskOr404(
  request: ParsedRequest,
  { engine, scope }: RequestContext,
): MaybePromise<RunOfSession | Problem> {
  const found = engine.findRun(scope, request.path['task_id'] ?? '');
  return whenResolved(found, (task) => task ?? problem('task_not_found', {}));
}
