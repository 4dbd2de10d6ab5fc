import { type JsonValue, isJsonObject } from '../core/json.ts';

/** Normalises a member name, because some providers accept `snake_case` for documented `camelCase`. */
function plain(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}

/** Returns the member at a dotted path, in camel case or snake case; undefined if it is missing. */
export function spelledAt(value: JsonValue | undefined, path: string): JsonValue | undefined {
  return path.split('.').reduce<JsonValue | undefined>((current, name) => {
    if (!isJsonObject(current)) return undefined;
    const found = Object.keys(current).find((key) => plain(key) === plain(name));
    return found === undefined ? undefined : current[found];
  }, value);
}

/** Returns true if two member names differ only in camel case or snake case. */
export function isSpelled(left: string, right: string): boolean {
  return plain(left) === plain(right);
}
