import type { RuleBook } from '../rule-book.ts';
import { modelRow } from './model-row.ts';
import { normaliseModel } from './normalise-model.ts';
import type { Refusal } from './refusal.ts';

/** A V3 model and whether the caller's own provider key is asked for. */
export interface OwnKeyQuery {
  /** As written in the request; absent means the default model. */
  readonly model: string | undefined;
  /** Whether useOwnKey or use_own_key is true. */
  readonly ownKey: boolean;
}

/** Refuses a V3 model that is served only with the caller's own key when that option is not set (contract section 2). */
export function checkOwnKey(rules: RuleBook, { model, ownKey }: OwnKeyQuery): Refusal<'own_key_required'> | null {
  const name = normaliseModel(rules, 'v3', model ?? rules.models.v3.default.model);
  if (ownKey || modelRow(rules, 'v3', name)?.availability !== 'own-key') return null;
  return { code: 'own_key_required', values: { model: name }, path: ['useOwnKey'] };
}
