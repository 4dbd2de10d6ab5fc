import type { ScheduleProposals } from '#agent/schedule-proposals.ts';
import { isJsonObject } from '#lib/json.ts';
import type { SessionRow } from '#store/tables/sessions.ts';
import type { EngineState } from '../engine-deps.ts';
import { createSchedules, type ScheduledSession } from './schedules.ts';

/**
 * Creates the proposals of a session's agent. A proposed task has the settings of the session. Its secrets and custom
 * proxy are not kept, because they belong to their requests.
 */
export function createProposals(engine: EngineState, session: SessionRow): ScheduleProposals {
  const { db, rules, newId, clock } = engine;
  const schedules = createSchedules({ db, rules, newId, now: () => clock.now() });
  return {
    async propose({ task, cron, at = '' }) {
      const made = await schedules.create({
        projectId: session.project_id,
        task,
        timing: cron === undefined ? { at } : { cron },
        session: settingsOf(session),
        proposedBy: session.id,
      });
      if ('fault' in made) return { refusal: made.fault };
      if ('limit' in made) return { refusal: 'this project or task has too many scheduled tasks already' };
      return { nextAt: new Date(made.nextAtMs ?? Number.NaN).toISOString(), timeZone: made.timeZone };
    },
  };
}

function settingsOf(session: SessionRow): ScheduledSession {
  const schema: unknown = session.output_schema === null ? null : JSON.parse(session.output_schema);
  return {
    model: session.model,
    thinkingLevel: session.thinking_level,
    useOwnKey: session.use_own_key === 1,
    codeMode: session.code_mode === 1,
    outputSchema: isJsonObject(schema) ? schema : null,
    profileId: session.profile_id,
    workspaceId: session.workspace_id,
    proxyCountryCode: session.proxy_country_code,
    maxCostMicros: session.max_cost_micros,
  };
}
