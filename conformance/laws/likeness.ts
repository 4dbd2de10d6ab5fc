import { models } from '#generated/rules.ts';
import { parseDecimal, rescale } from '../harness/decimal.ts';
import type { JsonValue } from '../harness/json.ts';
import { isSame } from '../checks/seen.ts';
import type { Likeness } from './records.ts';

/** True for two values that mean the same; `left` is what was sent or seen first. */
export function alike(as: Likeness, left: JsonValue, right: JsonValue): boolean {
  if (as === 'among') return partsOf(right).every((item) => partsOf(left).some((part) => isSame(part, item)));
  if (as === 'alias') return routed(left) === routed(right);
  const order = compare(as, left, right);
  return order === undefined ? isSame(left, right) : order === 0;
}

/** Below 0 when the right value has fallen behind the left one; undefined when they have no order. */
export function compare(as: Likeness, left: JsonValue, right: JsonValue): number | undefined {
  if (as === 'decimal') return compareDecimals(left, right);
  const [before, after] = [sizeOf(as, left), sizeOf(as, right)];
  return before === undefined || after === undefined ? undefined : after - before;
}

/** A time in milliseconds; V2 writes its times without an offset. Undefined for anything else. */
export function timeOf(value: JsonValue | undefined): number | undefined {
  if (typeof value !== 'string') return undefined;
  const parsed = Date.parse(/(?:z|[+-]\d{2}:?\d{2})$/i.test(value) ? value : `${value}Z`);
  return Number.isNaN(parsed) ? undefined : parsed;
}

function sizeOf(as: Likeness, value: JsonValue): number | undefined {
  if (as === 'time') return timeOf(value);
  if (as === 'count') return Array.isArray(value) ? value.length : undefined;
  return as === 'number' && typeof value === 'number' ? value : undefined;
}

function compareDecimals(left: JsonValue, right: JsonValue): number | undefined {
  const [before, after] = [decimalOf(left), decimalOf(right)];
  if (before === undefined || after === undefined) return undefined;
  const scale = Math.max(before.scale, after.scale);
  const difference = rescale(after, scale) - rescale(before, scale);
  return difference === 0n ? 0 : difference > 0n ? 1 : -1;
}

function decimalOf(value: JsonValue): ReturnType<typeof parseDecimal> {
  if (typeof value === 'number') return parseDecimal(String(value));
  return typeof value === 'string' ? parseDecimal(value) : undefined;
}

function partsOf(value: JsonValue): JsonValue[] {
  return Array.isArray(value) ? value : [];
}

const aliases = new Map<string, string>(
  models.v3.models.flatMap((row) => ('aliasOf' in row ? [[row.name, row.aliasOf]] : [])),
);

function routed(value: JsonValue): JsonValue {
  return typeof value === 'string' ? (aliases.get(value) ?? value) : value;
}
