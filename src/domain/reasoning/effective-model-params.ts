import type { JsonObject, JsonValue } from '../json.ts';
import type { RuleBook } from '../rule-book.ts';

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
  return row === undefined ? null : nest(row.path.split('.'), row.value);
}

/** `reasoning.effort` and `xhigh` as `{reasoning: {effort: 'xhigh'}}`. */
function nest([name = '', ...rest]: readonly string[], value: JsonValue): JsonObject {
  return { [name]: rest.length === 0 ? value : nest(rest, value) };
}
