import type { ConsoleProjectName, ConsoleProject } from '#contract/console-messages.ts';
import { isJsonObject, type JsonValue } from '#lib/json.ts';
import type { ConsoleOperation, ConsoleContext } from '../console-operation.ts';
import type { Grant } from '#accounts/api-keys.ts';
import { readCosts } from '../read-costs.ts';
import { problem } from '#contract/problems.ts';
import { isTimeZone } from '#sessions/schedules/schedule-times.ts';

/** Lists the projects of the service, oldest first. Requires an operator, because an API key belongs to one project. */
export const listProjects: ConsoleOperation = {
  guard: 'operator',
  async answer(_asked, { projects }) {
    const all = await projects.list();
    return { status: 200, body: all.map(({ id, name }): ConsoleProjectName => ({ id, name })) };
  },
};

/**
 * Changes credit, limits, data retention and time zone of the project. Requires an operator, because the holder of a
 * key could otherwise increase the credit of the project.
 */
export const changeProject: ConsoleOperation = {
  guard: 'operator',
  async answer({ login, body }, tools) {
    const grant = readGrant(body);
    if (grant.timeZone !== undefined && !isTimeZone(grant.timeZone))
      return problem('time_zone_unknown', { found: grant.timeZone }, ['body', 'timeZone']);
    await tools.projects.change(login.projectId, grant);
    return { status: 200, body: await shownProject(tools, login.projectId) };
  },
};

function readGrant(body: JsonValue | undefined): Grant {
  const given = isJsonObject(body) ? body : {};
  const { creditMicros, sessionsMax, zeroDataRetention, timeZone } = given;
  return {
    ...(isBound(creditMicros) ? { creditMicros } : {}),
    ...(isBound(sessionsMax) ? { sessionsMax } : {}),
    ...(typeof zeroDataRetention === 'boolean' ? { zeroDataRetention } : {}),
    ...(typeof timeZone === 'string' ? { timeZone } : {}),
  };
}

function isBound(value: JsonValue | undefined): value is number | null {
  return typeof value === 'number' || value === null;
}

/** Returns the costs of the project in the last days, by day, and its model costs in these days, by model. */
export const getCosts: ConsoleOperation = {
  guard: 'login',
  async answer({ login, query }, tools) {
    const wanted = { projectId: login.projectId, days: Number(query['days']), nowMs: tools.clock.now() };
    return { status: 200, body: await readCosts(tools, wanted) };
  },
};

/** Returns a project with its balance, as the console shows it. */
export async function shownProject(tools: ConsoleContext, projectId: string): Promise<ConsoleProject> {
  const [project, balance] = [await tools.projects.get(projectId), await tools.balance(projectId)];
  return {
    id: project.id,
    name: project.name,
    creditMicros: project.creditMicros,
    spentMicros: balance.spentMicros,
    sessionsMax: project.sessionsMax,
    activeMax: balance.activeMax,
    activeCount: balance.activeCount,
    zeroDataRetention: project.zeroDataRetention,
    timeZone: project.timeZone,
  };
}
