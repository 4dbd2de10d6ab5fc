import { type Exchange, describeAnswer, succeeded } from '../core/exchange.ts';
import { type JsonObject, identifier, memberAt } from '../core/json.ts';
import { type OperationKey, notOffered } from '../core/operations.ts';
import { NotTestable } from '../core/outcome.ts';
import type { ScenarioContext } from '../core/scenario.ts';
import type { Target } from '../core/target.ts';

/** Creates a V2 session. Throws NotTestable if the creation was refused or its answer has no id. */
export async function openTaskSession(
  context: ScenarioContext,
  body: JsonObject,
): Promise<{ id: string; created: Exchange }> {
  const created = await context.operations.create('session', 'v2.createSession', { body });
  const id = identifier(memberAt(created.json, 'id'));
  if (succeeded(created) && id !== undefined) return { id, created };
  throw new NotTestable(`V2 session creation ${describeAnswer(created)}${succeeded(created) ? ' without an id' : ''}`);
}

/**
 * Returns the reason why a scenario with a slow task and these operations cannot run: the target file names no slow
 * task, or an operation is not offered. Undefined if the scenario can run.
 */
export function notWatchable(target: Target, keys: readonly OperationKey[]): string | undefined {
  if (target.tasks.slow === null) return 'the target file names no slow goal (tasks.slow)';
  return notOffered(target, keys);
}
