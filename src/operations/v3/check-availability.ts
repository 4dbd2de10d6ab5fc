import { type Problem, problem } from '#contract/problems.ts';
import { checkOwnKey } from '#contract/reasoning/check-own-key.ts';
import { isNative } from '#contract/reasoning/is-native.ts';
import { modelRow } from '#contract/reasoning/model-row.ts';
import type { Caller } from '../common/caller.ts';

/**
 * Refuses a model that the caller cannot use: one that needs the caller's own provider key without that option, and the
 * option without a stored key (contract section 2, availability; companion 6.2). Without a provider of the service the
 * offline planner is the route of every model that the contract calls native (decision record 2).
 */
export async function checkAvailability(
  caller: Caller,
  wanted: { model: string; ownKey: boolean },
): Promise<Problem | null> {
  const { rules, modelRoutes } = caller;
  const refusal = checkOwnKey(rules, wanted);
  if (refusal !== null) return problem(refusal.code, refusal.values, ['body', ...refusal.path]);
  const row = modelRow(rules, 'v3', wanted.model);
  const provider = row?.provider ?? 'unknown';
  if (!wanted.ownKey) {
    const isServed = row === undefined || isNative(row, modelRoutes);
    return isServed ? null : problem('model_without_route', { model: wanted.model, provider }, ['body', 'model']);
  }
  if (await caller.hasProviderKey(provider)) return null;
  return problem('own_key_missing', { model: wanted.model, provider }, ['body', 'useOwnKey']);
}
