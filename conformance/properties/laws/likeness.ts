import { models } from '#generated/rules.ts';
import { type Decimal, compareDecimals, parseDecimal } from '../../core/decimal.ts';
import { type JsonValue, isSame } from '../../core/json.ts';
import type { Likeness } from './records.ts';

/**
 * Returns true if two values are equivalent under a comparison rule of `records.ts`. `left` is the value that was sent
 * or observed first.
 */
export function isEquivalent(as: Likeness, left: JsonValue, right: JsonValue): boolean {
  if (left === right) return true;
  if (as === 'among') return toArray(right).every((item) => toArray(left).some((part) => isSame(part, item)));
  if (as === 'alias') return routed(left) === routed(right);
  const order = compare(as, left, right);
  return order === undefined ? isSame(left, right) : order === 0;
}

/**
 * Compares two values under a comparison rule. Returns a negative number if `right` is smaller than `left`; undefined
 * if the values have no order.
 */
export function compare(as: Likeness, left: JsonValue, right: JsonValue): number | undefined {
  const [before, after] = [toSize(as, left), toSize(as, right)];
  return before === undefined || after === undefined ? undefined : compareSizes(before, after);
}

/** Numeric form of a value, which makes repeated comparisons cheap. */
export type Size = number | Decimal;

/** Returns the numeric form of a value under a comparison rule; undefined if the value has no order. */
export function toSize(as: Likeness, value: JsonValue): Size | undefined {
  if (as === 'decimal') return toDecimal(value);
  if (as === 'time') return parseTime(value);
  if (as === 'count') return Array.isArray(value) ? value.length : undefined;
  return as === 'number' && typeof value === 'number' ? value : undefined;
}

/** Compares two numeric forms of the same rule. Returns a negative number if `right` is smaller than `left`. */
export function compareSizes(left: Size, right: Size): number {
  if (typeof left === 'number' && typeof right === 'number') return right - left;
  if (typeof left === 'object' && typeof right === 'object') return compareDecimals(right, left);
  throw new Error('two sizes of different likenesses were compared');
}

/** Returns a time in milliseconds; a time without an offset is UTC, which V2 allows. Undefined for any other value. */
export function parseTime(value: JsonValue | undefined): number | undefined {
  if (typeof value !== 'string') return undefined;
  const parsed = Date.parse(/(?:z|[+-]\d{2}:?\d{2})$/i.test(value) ? value : `${value}Z`);
  return Number.isNaN(parsed) ? undefined : parsed;
}

function toDecimal(value: JsonValue): Decimal | undefined {
  if (typeof value === 'number') return parseDecimal(String(value));
  return typeof value === 'string' ? parseDecimal(value) : undefined;
}

function toArray(value: JsonValue): JsonValue[] {
  return Array.isArray(value) ? value : [];
}

const aliases = new Map<string, string>(
  models.v3.models.flatMap((row) => ('aliasOf' in row ? [[row.name, row.aliasOf]] : [])),
);

function routed(value: JsonValue): JsonValue {
  return typeof value === 'string' ? (aliases.get(value) ?? value) : value;
}
