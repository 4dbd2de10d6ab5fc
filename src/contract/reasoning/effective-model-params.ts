import type { JsonObject } from '#lib/json.ts';
import type { RuleBook } from '../rule-book.ts';
import { nested } from './nested.ts';

/**
 * What is sent to the model's provider (contract section 4, V4 modelParams, rules 1 and 2): the request's own controls;
 * without any the service default of the model, null where it has none; and null for {}, which leaves the provider's own.
 */
export function effectiveModelParams(
  rules: RuleBook,
  { model, params }: { readonly model: string; readonly params: JsonObject | null },
): JsonObject | null {
  if (params !== null) return Object.keys(params).length === 0 ? null : params;
  const row = rules.modelParams.defaults.find((candidate) => candidate.model === model);
  return row === undefined ? null : nested(row.path, row.value);
}
