import { type JsonValue, isJsonObject } from '../core/json.ts';

/** Normalises a member name, because some providers accept `snake_case` for documented `camelCase`. */
function plain(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}

/**
 * Returns the member at a dotted path; undefined if it is missing. The names may differ in letter case and underscores.
 */
export function spelledAt(value: JsonValue | undefined, path: string): JsonValue | undefined {
  return path.split('.').reduce<JsonValue | undefined>((current, name) => {
    if (!isJsonObject(current)) return undefined;
    const found = Object.keys(current).find((key) => plain(key) === plain(name));
    return found === undefined ? undefined : current[found];
  }, value);
}

/** Returns true if two member names are equal apart from letter case and underscores. */
export function isSpelled(left: string, right: string): boolean {
  return plain(left) === plain(right);
}
