import { parseDecimal } from '../../core/decimal.ts';
import type { JsonObject, JsonValue } from '../../core/json.ts';

type Members = Readonly<Record<string, JsonValue | undefined>>;

/** Numbers, and decimal strings as numbers; whatever is neither is left out. */
export function countersOf(members: Members): Record<string, number> {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]): [string, number][] => {
      if (typeof value === 'number') return [[name, value]];
      return typeof value === 'string' && parseDecimal(value) !== undefined ? [[name, Number(value)]] : [];
    }),
  );
}

/** The members that are there. */
export function carriedOf(members: Members): JsonObject {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]): [string, JsonValue][] =>
      value === undefined ? [] : [[name, value]],
    ),
  );
}
