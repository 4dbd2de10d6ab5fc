/** Any value that JSON can carry. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [member: string]: JsonValue };

/** A JSON object. */
export type JsonObject = { [member: string]: JsonValue };

/** Returns whether an untrusted value is a JSON object (not null, not an array). */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses the stored JSON text of an object; null for null, and for a text of any other value. */
export function parseStoredObject(text: string | null): JsonObject | null {
  const value: unknown = text === null ? null : JSON.parse(text);
  return isJsonObject(value) ? value : null;
}

/** Returns the value of a stored JSON text as text: a string itself, any other value as JSON; null for null. */
export function storedAsText(text: string | null): string | null {
  const value: unknown = text === null ? null : JSON.parse(text);
  return value === null || typeof value === 'string' ? value : JSON.stringify(value);
}

/**
 * Serialises a value as JSON, cut to `limit` characters with an ellipsis. Reads only the part that is shown, so that a
 * huge or deeply nested value costs little. Writes `undefined` for a value that JSON does not have.
 */
export function shortJson(value: unknown, limit = 80): string {
  const text = write(value, limit + 1);
  return text.length > limit ? `${text.slice(0, limit)}…` : text;
}

function write(value: unknown, room: number): string {
  if (room <= 0) return '';
  if (typeof value === 'string') return JSON.stringify(value.slice(0, room));
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  if (Array.isArray(value))
    return writeMembers('[]', room, (index) => (index < value.length ? ['', value[index]] : undefined));
  const names = Object.keys(value);
  return writeMembers('{}', room, (index) => {
    const name = names[index];
    return name === undefined ? undefined : [`${JSON.stringify(name.slice(0, room))}:`, Reflect.get(value, name)];
  });
}

type MemberAt = (index: number) => readonly [label: string, value: unknown] | undefined;

function writeMembers(brackets: '[]' | '{}', room: number, memberAt: MemberAt): string {
  let text = brackets.charAt(0);
  for (let index = 0; text.length < room; index += 1) {
    const member = memberAt(index);
    if (member === undefined) return text + brackets.charAt(1);
    const [label, value] = member;
    text += (index === 0 ? '' : ',') + label;
    text += write(value, room - text.length);
  }
  return text;
}
