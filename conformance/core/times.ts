import { type JsonValue, isJsonObject, isSame } from './json.ts';

/** A time of a record with the resolution of its notation, both in microseconds. */
export interface ShownTime {
  readonly micros: number;
  /**
   * Two times that differ by less than this may be notations of the same instant. It is 1 s for a time without a
   * fraction of a second, otherwise the unit of its last digit, but at least 1 ms.
   */
  readonly resolution: number;
}

const [microsPerMs, fractionMax] = [1000, 6];

const dateTime = /^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)(?:\.(\d+))?(z|[+-]\d\d:?\d\d)?$/i;

/** Parses a time. A time without an offset, which V2 allows, is UTC. Returns undefined for any other value. */
export function readTime(value: JsonValue | undefined): ShownTime | undefined {
  const [, whole = '', fraction = '', offset = 'Z'] = typeof value === 'string' ? (dateTime.exec(value) ?? []) : [];
  const ms = Date.parse(`${whole}${offset}`);
  if (Number.isNaN(ms)) return undefined;
  const micros = Number(fraction.slice(0, fractionMax).padEnd(fractionMax, '0'));
  const resolution = Math.max(microsPerMs, 10 ** Math.max(0, fractionMax - fraction.length));
  return { micros: ms * microsPerMs + micros, resolution };
}

/** Returns a time in whole milliseconds; undefined for a value that is not a time. */
export function parseTime(value: JsonValue | undefined): number | undefined {
  const time = readTime(value);
  return time === undefined ? undefined : Math.floor(time.micros / microsPerMs);
}

/**
 * Returns the milliseconds from `left` to `right`, negative if `right` is earlier. Returns 0 for a difference below the
 * resolution of the coarser notation: no document fixes the number of fraction digits, so a service may truncate or
 * round.
 */
export function compareShownTimes(left: ShownTime, right: ShownTime): number {
  const difference = right.micros - left.micros;
  return Math.abs(difference) < Math.max(left.resolution, right.resolution) ? 0 : difference / microsPerMs;
}

/** Compares two values as {@link compareShownTimes} does; undefined if either value is not a time. */
export function compareTimes(left: JsonValue | undefined, right: JsonValue | undefined): number | undefined {
  const [before, after] = [readTime(left), readTime(right)];
  return before === undefined || after === undefined ? undefined : compareShownTimes(before, after);
}

/**
 * Returns true if two values of a member are the same JSON, or the same instant if the name ends in `At`, as in
 * `createdAt`.
 */
export function isSameMember(name: string, left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  return isSame(left, right) || (name.endsWith('At') && compareTimes(left, right) === 0);
}

/** Returns true if two records have the same members with the same values. Times may differ in notation. */
export function isSameRecord(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  if (!isJsonObject(left) || !isJsonObject(right)) return isSame(left, right);
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...names].every((name) => isSameMember(name, left[name], right[name]) && name in left === name in right);
}
