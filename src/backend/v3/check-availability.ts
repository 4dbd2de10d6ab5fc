import { type Problem, problem } from '#domain/problems.ts';
import type { Caller } from './caller.ts';

/**
 * Refuses a model that the caller cannot use: one that needs the caller's own provider key without that option, and the
 * option without a stored key (contract section 2, availability; companion 6.2). Without a provider key of the service the
 * offline planner is the route of every model that the contract calls native (decision record 2).
 */
export async function checkAvailability(caller: Caller, wanted: { model: string; ownKey: boolean }): Promise<Problem | null> {
  const row = caller.rules.models.v3.models.find((model) => model.name === wanted.model);
  if (row === undefined) throw new Error(`models: no row for ${wanted.model}`);
  const values = { model: row.name, provider: row.provider };
  if (!wanted.ownKey) return row.availability === 'own-key' ? problem('own_key_required', values, ['body', 'useOwnKey']) : null;
  return (await caller.hasProviderKey(row.provider)) ? null : problem('own_key_missing', values, ['body', 'useOwnKey']);
}
