import type { JsonObject, JsonValue } from '#lib/json.ts';

/** The number nearest to 0 that the schema's bounds and its multipleOf allow, as far as there is one. */
export function smallestNumber(schema: JsonObject, integer: boolean): number {
  const step = numberIn(schema['multipleOf']) ?? (integer ? 1 : 0);
  const low = lowest(schema, step);
  const high = highest(schema, step);
  if (low > 0) return step > 0 ? Math.ceil(low / step) * step : low;
  if (high < 0) return step > 0 ? Math.floor(high / step) * step : high;
  return 0;
}

/** How far an exclusive bound is left behind where no step says it. */
const NUDGE = 0.5;

function lowest(schema: JsonObject, step: number): number {
  const exclusive = numberIn(schema['exclusiveMinimum']);
  const inclusive = numberIn(schema['minimum']) ?? Number.NEGATIVE_INFINITY;
  return exclusive === undefined ? inclusive : Math.max(inclusive, exclusive + (step > 0 ? step : NUDGE));
}

function highest(schema: JsonObject, step: number): number {
  const exclusive = numberIn(schema['exclusiveMaximum']);
  const inclusive = numberIn(schema['maximum']) ?? Number.POSITIVE_INFINITY;
  return exclusive === undefined ? inclusive : Math.min(inclusive, exclusive - (step > 0 ? step : NUDGE));
}

function numberIn(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
