import { type JsonValue, isJsonObject } from '../core/json.ts';

/** A name as it is compared: some providers take `snake_case` where their documents write `camelCase`. */
function plain(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}

/** The member at a dotted path, whichever of the two spellings the request uses. */
export function spelledAt(value: JsonValue | undefined, path: string): JsonValue | undefined {
  return path.split('.').reduce<JsonValue | undefined>((current, name) => {
    if (!isJsonObject(current)) return undefined;
    const found = Object.keys(current).find((key) => plain(key) === plain(name));
    return found === undefined ? undefined : current[found];
  }, value);
}

/** True for two names that are one in the eyes of a provider. */
export function isSpelled(left: string, right: string): boolean {
  return plain(left) === plain(right);
}
