import { type JsonValue, isJsonObject } from '../core/json.ts';

/** Normalises a member name, because some providers accept `snake_case` for documented `camelCase`. */
function plain(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}

/** Returns the member at a dotted path in either spelling. */
export function spelledAt(value: JsonValue | undefined, path: string): JsonValue | undefined {
  return path.split('.').reduce<JsonValue | undefined>((current, name) => {
    if (!isJsonObject(current)) return undefined;
    const found = Object.keys(current).find((key) => plain(key) === plain(name));
    return found === undefined ? undefined : current[found];
  }, value);
}

/** Returns whether a provider treats two names as the same member. */
export function isSpelled(left: string, right: string): boolean {
  return plain(left) === plain(right);
}
