import { parseDecimal } from '../../core/decimal.ts';
import type { JsonObject, JsonValue } from '../../core/json.ts';

type Members = Readonly<Record<string, JsonValue | undefined>>;

/** Returns those members that are numbers or decimal strings, as numbers. */
export function pickCounters(members: Members): Record<string, number> {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]): [string, number][] => {
      if (typeof value === 'number') return [[name, value]];
      return typeof value === 'string' && parseDecimal(value) !== undefined ? [[name, Number(value)]] : [];
    }),
  );
}

/** Returns the members that are not undefined. */
export function pickDefined(members: Members): JsonObject {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]): [string, JsonValue][] =>
      value === undefined ? [] : [[name, value]],
    ),
  );
}
