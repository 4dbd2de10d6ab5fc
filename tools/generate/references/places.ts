import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';

/** A string in a table. */
export interface Place {
  /** Path of the string: member names and indexes from the root of the file. */
  readonly path: readonly (string | number)[];
  readonly word: string;
  /** Objects that contain the string, innermost first. */
  readonly rows: readonly JsonObject[];
}

/**
 * Returns the strings of a table whose path matches a pattern such as `machines.*.states.*.name`. `*` matches each item
 * of an array or member of an object. With a final `~`, returns the member names of an object. Values that are not
 * strings are skipped.
 */
export function placesIn(table: JsonObject, pattern: string): Place[] {
  return walk(table, pattern.split('.'), { path: [], rows: [] });
}

function walk(
  value: JsonValue | undefined,
  [step, ...rest]: readonly string[],
  { path, rows }: Pick<Place, 'path' | 'rows'>,
): Place[] {
  if (step === undefined) return typeof value === 'string' ? [{ path, word: value, rows }] : [];
  if (Array.isArray(value))
    return step === '*' ? value.flatMap((item, at) => walk(item, rest, { path: [...path, at], rows })) : [];
  if (!isJsonObject(value)) return [];
  const around = [value, ...rows];
  if (step === '~') return Object.keys(value).map((word) => ({ path: [...path, word], word, rows: around }));
  const names = step === '*' ? Object.keys(value) : [step];
  return names.flatMap((name) => walk(value[name], rest, { path: [...path, name], rows: around }));
}

/** Returns a string member of an object, or an empty string if the object has no string with this name. */
export function textIn(row: JsonObject | undefined, name: string): string {
  const value = row?.[name];
  return typeof value === 'string' ? value : '';
}
