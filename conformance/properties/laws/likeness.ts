import { models } from '#generated/rules.ts';
import { type Decimal, compareDecimals, parseDecimal } from '../../core/decimal.ts';
import { type JsonValue, isSame } from '../../core/json.ts';
import { compareShownTimes, readTime, type ShownTime } from '../../core/times.ts';
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

/** Form of a value in which it can be compared quickly many times. */
export type Size = number | Decimal | ShownTime;

/** Returns a value in the form in which it is compared under the rule `as`; undefined if the value has no order. */
export function toSize(as: Likeness, value: JsonValue): Size | undefined {
  if (as === 'decimal') return toDecimal(value);
  if (as === 'time') return readTime(value);
  if (as === 'count') return Array.isArray(value) ? value.length : undefined;
  return as === 'number' && typeof value === 'number' ? value : undefined;
}

/**
 * Compares two values in the form that {@link toSize} returns for the same rule. Returns a negative number if `right`
 * is smaller than `left`, and 0 for two times that may be notations of one instant.
 */
export function compareSizes(left: Size, right: Size): number {
  if (typeof left === 'number' && typeof right === 'number') return right - left;
  if (isTime(left) && isTime(right)) return compareShownTimes(left, right);
  if (isDecimal(left) && isDecimal(right)) return compareDecimals(right, left);
  throw new Error('two sizes of different likenesses were compared');
}

/**
 * Returns the larger of two values in the form that {@link toSize} returns for the same rule; of two times, the later
 * one, however they are written.
 */
export function larger(left: Size, right: Size): Size {
  const isLess = isTime(left) && isTime(right) ? left.micros < right.micros : compareSizes(left, right) > 0;
  return isLess ? right : left;
}

/** Returns true if `right` shows the instant of `left` with more digits. */
export function isFiner(left: Size | undefined, right: Size | undefined): boolean {
  return isTime(left) && isTime(right) && right.resolution < left.resolution && compareShownTimes(left, right) === 0;
}

function isTime(size: Size | undefined): size is ShownTime {
  return typeof size === 'object' && 'micros' in size;
}

function isDecimal(size: Size): size is Decimal {
  return typeof size === 'object' && 'scale' in size;
}

function toDecimal(value: JsonValue): Decimal | undefined {
  if (typeof value === 'number') return parseDecimal(String(value));
  if (typeof value !== 'string') return undefined;
  // A tolerant service shows an amount with an exponent as a plain decimal string.
  return parseDecimal(/^\d+e-\d$/.test(value) ? Number(value).toFixed(9) : value);
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
