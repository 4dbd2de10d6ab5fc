import type { JsonValue } from '#domain/json.ts';

/** How large a JSON value may be besides its bytes; both included. */
export interface JsonBounds {
  /** Objects and arrays within each other. */
  readonly depth: number;
  /** Values of every kind, the outermost counts. */
  readonly values: number;
}

/** Whether a value is within bounds. Its own memory does not grow with the depth of the value's calls: nothing here calls itself. */
export function isWithin(value: JsonValue, { depth, values }: JsonBounds): boolean {
  let level: readonly JsonValue[] = [value];
  let seen = 0;
  for (let containers = 0; level.length > 0; containers += 1) {
    seen += level.length;
    const nested = level.filter((item) => typeof item === 'object' && item !== null);
    if (seen > values || (nested.length > 0 && containers >= depth)) return false;
    level = nested.flatMap((item) => Object.values(item));
  }
  return true;
}
