import { usdToMicros } from '#domain/money.ts';
import { type Problem, problem } from '#domain/problems.ts';

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

/** A cost ceiling in micro-dollars, null for none. */
export function ceilingOf(maxCostUsd: number | string | null | undefined): number | null {
  return maxCostUsd === undefined || maxCostUsd === null ? null : usdToMicros(maxCostUsd);
}
