import type { JsonObject, JsonValue } from '#lib/json.ts';

/** By what the name of a member says: the range that a number is drawn from, the first that fits. */
const RANGES: readonly (readonly [name: RegExp, least: number, most: number])[] = [
  [/year/i, 2000, 2026],
  [/rating|stars|score/i, 3, 5],
  [/percent|share/i, 1, 99],
  [/price|cost|amount|total|sum|salary/i, 10, 500],
  [/lat(itude)?$/i, -60, 60],
  [/lon(gitude)?$|lng$/i, -120, 120],
];
const USUAL = [1, 20] as const;

/** A number that a member of that name could have, within the bounds of its schema; cents at most. */
export function plausibleNumber(
  schema: JsonObject,
  { name, isWhole }: { readonly name: string; readonly isWhole: boolean },
  draw: () => number,
): number {
  const [least, most] = RANGES.find(([pattern]) => pattern.test(name))?.slice(1) ?? USUAL;
  const step = numberOr(schema['multipleOf'], isWhole ? 1 : 0.01);
  const low = Math.max(
    numberOr(schema['minimum'], Number(least)),
    numberOr(schema['exclusiveMinimum'], Number.NEGATIVE_INFINITY) + step,
  );
  const high = Math.min(
    numberOr(schema['maximum'], Math.max(low, Number(most))),
    numberOr(schema['exclusiveMaximum'], Number.POSITIVE_INFINITY) - step,
  );
  const steps = Math.ceil(low / step) + Math.floor(draw() * (Math.max(0, high - low) / step + 1));
  // Hundredths have no exact binary form: the nearest to two places is what people write.
  return Math.round(Math.min(steps * step, Math.max(low, high)) * 100) / 100;
}

function numberOr(value: JsonValue | undefined, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}
