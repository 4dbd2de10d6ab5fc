import { type Problem, problem } from '#domain/problems.ts';
import { checkOwnKey } from '#domain/reasoning/check-own-key.ts';
import { modelRow } from '#domain/reasoning/model-row.ts';
import type { Caller } from '../shared/caller.ts';

/**
 * Refuses a model that the caller cannot use: one that needs the caller's own provider key without that option, and the
 * option without a stored key (contract section 2, availability; companion 6.2). Without a provider key of the service the
 * offline planner is the route of every model that the contract calls native (decision record 2).
 */
export async function checkAvailability(
  caller: Caller,
  wanted: { model: string; ownKey: boolean },
): Promise<Problem | null> {
  const refusal = checkOwnKey(caller.rules, wanted);
  if (refusal !== null) return problem(refusal.code, refusal.values, ['body', ...refusal.path]);
  if (!wanted.ownKey) return null;
  const provider = modelRow(caller.rules, 'v3', wanted.model)?.provider ?? 'unknown';
  if (await caller.hasProviderKey(provider)) return null;
  return problem('own_key_missing', { model: wanted.model, provider }, ['body', 'useOwnKey']);
}
