import { isJsonObject } from '#domain/json.ts';
import { usdToMicros } from '#domain/money.ts';
import { type Problem, problem } from '#domain/problems.ts';
import { checkOutputSchema } from '../agent/index.ts';

const shownLength = 200;

/** Where a setting stands in the request, for the refusal. */
type Place = readonly [first: string, ...rest: string[]];

/** Refuses one side of a screen without the other; sizes are CSS pixels. */
export function checkScreen(
  size: { readonly width: number | null | undefined; readonly height: number | null | undefined },
  place: Place,
): Problem | null {
  const isNamed = (side: number | null | undefined): boolean => side !== undefined && side !== null;
  return isNamed(size.width) === isNamed(size.height) ? null : problem('screen_size_pair', {}, [...place]);
}

/** Refuses a cost ceiling that is not above zero or cannot be held in micro-dollars. */
export function checkCeiling(maxCostUsd: number | string | null | undefined): Problem | null {
  if (maxCostUsd === undefined || maxCostUsd === null) return null;
  const micros = usdToMicros(maxCostUsd);
  if (micros !== null && micros > 0) return null;
  return problem('ceiling_out_of_range', { found: String(maxCostUsd).slice(0, shownLength) }, ['body', 'maxCostUsd']);
}

/** Refuses an `outputSchema` that no output could be checked against; absent and null are none. */
export function checkSchema(outputSchema: unknown): Problem | null {
  const reason = isJsonObject(outputSchema) ? checkOutputSchema(outputSchema) : null;
  if (reason === null) return null;
  return problem('output_schema_invalid', { reason: reason.slice(0, shownLength) }, ['body', 'outputSchema']);
}

/** A cost ceiling in micro-dollars, null for none. */
export function ceilingOf(maxCostUsd: number | string | null | undefined): number | null {
  return maxCostUsd === undefined || maxCostUsd === null ? null : usdToMicros(maxCostUsd);
}
