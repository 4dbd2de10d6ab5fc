import { type JsonValue, isJsonObject } from '#lib/json.ts';
import type { Grant } from '#accounts/balance.ts';
import type { ConsoleOperation } from '../console-operation.ts';
import { shownProject } from './shown-project.ts';

/** Changes what the project is given: the operator's right, because whoever has a key could otherwise give himself credit. */
export const changeProject: ConsoleOperation = {
  guard: 'operator',
  async answer({ login, body }, tools) {
    await tools.projects.change(login.projectId, grantOf(body));
    return { status: 200, body: await shownProject(tools, login.projectId) };
  },
};

function grantOf(body: JsonValue | undefined): Grant {
  const given = isJsonObject(body) ? body : {};
  const { creditMicros, sessionsMax, zeroDataRetention } = given;
  return {
    ...(isBound(creditMicros) ? { creditMicros } : {}),
    ...(isBound(sessionsMax) ? { sessionsMax } : {}),
    ...(typeof zeroDataRetention === 'boolean' ? { zeroDataRetention } : {}),
  };
}

function isBound(value: JsonValue | undefined): value is number | null {
  return typeof value === 'number' || value === null;
}
