import { clientFacts } from '#generated/client-facts.ts';
import { isJsonObject, parseJson } from '../core/json.ts';
import type { ClientExchange } from './recording.ts';
import type { ClientVersion } from './trial.ts';

const { task, session, run } = clientFacts.terminal;

const terminal: Readonly<Record<ClientVersion, readonly string[]>> = { v2: task, v3: session, v4: run };

/** Returns the status in a response; undefined without a status. */
export function shownState({ answer }: ClientExchange): string | undefined {
  const json = parseJson(answer.toString());
  const status = isJsonObject(json) ? json['status'] : undefined;
  return typeof status === 'string' ? status : undefined;
}

/**
 * Returns true for a response with a terminal status. An idle V3 session counts as terminal, although it accepts
 * another task.
 */
export function isTerminal(exchange: ClientExchange): boolean {
  const { operation, status } = exchange;
  if (operation === undefined || status !== 200) return false;
  return isEnd(operation.version, shownState(exchange));
}

/** Returns true for a terminal state of a generation. */
function isEnd(version: ClientVersion, state: string | undefined): boolean {
  return state !== undefined && terminal[version].includes(state);
}
