import type { TaskServices } from '#agent/agent.ts';
import type { Integration, IntegrationSummary, TaskIntegrations } from '#agent/integrations/integration.ts';
import { createTaskSkills, type Skill } from '#agent/skills/skill.ts';
import { getLimit } from '#contract/rule-book.ts';
import { addUsedIntegration } from '#store/queries/integrations.ts';
import type { SessionRow } from '#store/tables/sessions.ts';
import type { EngineState } from './engine-deps.ts';
import type { RunSettings } from './run-settings.ts';
import type { ScheduleProposals } from '#agent/schedule-proposals.ts';
import { parseStoredObject } from '#lib/json.ts';
import { createSchedules, type ScheduledSession } from './schedules/schedules.ts';

interface ServiceSettings {
  readonly settings: RunSettings;
  readonly skills: readonly Skill[];
  /** Aborted when the task ends. */
  readonly signal: AbortSignal;
}

/** Returns a task's services (schedule proposals, skills, integrations); null for each that the task may not use. */
export function createServices(
  engine: EngineState,
  session: SessionRow,
  { settings, skills, signal }: ServiceSettings,
): TaskServices {
  const [fileBytes, taskBytes] = [getLimit(engine.rules, 'skillFileBytes'), getLimit(engine.rules, 'skillBytesOfTask')];
  return {
    proposals: settings.mayProposeSchedules === true ? createProposals(engine, session) : null,
    skills: skills.length === 0 ? null : createTaskSkills(skills, { fileBytes, taskBytes }),
    integrations: createTaskIntegrations(engine, session, signal),
  };
}

/** Returns the integrations that the project of a session may use, as an agent sees them. */
export function listIntegrations(engine: EngineState, session: SessionRow): readonly IntegrationSummary[] {
  const found: readonly Integration[] = engine.integrations?.list(session.projectId) ?? [];
  return found.map(({ name, description }) => ({ name, description }));
}

/**
 * Creates access of a task to integrations; null when its project may use none. An integration whose tool was called is
 * recorded in the session, also when the tool has failed.
 */
function createTaskIntegrations(
  engine: EngineState,
  session: SessionRow,
  signal: AbortSignal,
): TaskIntegrations | null {
  const { integrations, db } = engine;
  const projectId = session.projectId;
  if (integrations === null || integrations.list(projectId).length === 0) return null;
  return {
    tools: (name) => integrations.tools({ projectId, name, signal }),
    call: (name, call) =>
      integrations.call({ projectId, name, signal, onReached: () => addUsedIntegration(db, session.id, name) }, call),
  };
}

/**
 * Creates the proposals of a session's agent. A proposed task has the settings of the session, but not its secrets and
 * its custom proxy, because these belong to one request.
 */
function createProposals(engine: EngineState, session: SessionRow): ScheduleProposals {
  const { db, rules, newId, clock } = engine;
  const schedules = createSchedules({ db, rules, newId, now: () => clock.now() });
  return {
    async propose({ task, cron, at = '' }) {
      const made = await schedules.create({
        projectId: session.projectId,
        task,
        timing: cron === undefined ? { at } : { cron },
        session: toScheduledSession(session),
        proposedBy: session.id,
      });
      if ('fault' in made) return { refusal: made.fault };
      if ('limit' in made)
        return { refusal: `this project or session has too many scheduled tasks already: at most ${made.limit}` };
      return { nextAt: new Date(made.nextAtMs ?? Number.NaN).toISOString(), timeZone: made.timeZone };
    },
  };
}

function toScheduledSession(session: SessionRow): ScheduledSession {
  return {
    model: session.model,
    thinkingLevel: session.thinkingLevel,
    useOwnKey: session.useOwnKey === 1,
    codeMode: session.codeMode === 1,
    outputSchema: parseStoredObject(session.outputSchema),
    profileId: session.profileId,
    workspaceId: session.workspaceId,
    proxyCountryCode: session.proxyCountryCode,
    maxCostMicros: session.maxCostMicros,
  };
}
