import { type JsonObject, type JsonValue, isJsonObject } from '../core/json.ts';
import type { ClientExchange } from './recording.ts';

/** Members whose content is free, so that nothing is put in below them. */
const free = new Set(['output', 'outputSchema', 'metadata', 'data', 'result']);

/** Puts a member that no document has into every object. */
export function withNewMembers(json: JsonValue, word: string): JsonValue {
  if (Array.isArray(json)) return json.map((item) => withNewMembers(item, word));
  if (!isJsonObject(json)) return json;
  const members = Object.entries(json).map(([name, value]) => [
    name,
    free.has(name) ? value : withNewMembers(value, word),
  ]);
  return { ...Object.fromEntries(members), [`new_${word}`]: { nested: [1, null, word] } };
}

/** Members of records that hold a value of an enumeration which may grow. */
const growing = new Set(['model', 'llm', 'proxyCountryCode', 'thinkingLevel']);

/** Gives members of enumerations a value that no document has. */
export function withNewValues(json: JsonValue, word: string): JsonValue {
  if (Array.isArray(json)) return json.map((item) => withNewValues(item, word));
  if (!isJsonObject(json)) return json;
  return mapMembers(json, (name, value) =>
    growing.has(name) ? `new-${word}` : free.has(name) ? value : withNewValues(value, word),
  );
}

/** Gives every sum of money the same long decimal. */
export function withDecimals(json: JsonValue, decimal: string): JsonValue {
  if (!isJsonObject(json)) return json;
  return mapMembers(json, (name, value) => (name.endsWith('CostUsd') && name !== 'maxCostUsd' ? decimal : value));
}

/** Gives the first event of a run a kind that no document has. */
export function withNewKind(json: JsonValue, kind: string): JsonValue {
  if (!isJsonObject(json) || !Array.isArray(json['events'])) return json;
  const events = json['events'].map((event) => {
    return isJsonObject(event) && event['type'] === 'run.created' ? { ...event, type: kind } : event;
  });
  return { ...json, events };
}

/** Shows the work in another state, with an output once that is an end. */
export function withState(
  { kind, operation }: ClientExchange,
  json: JsonValue,
  { state, output }: { readonly state: string; readonly output: string | null },
): JsonValue {
  if (kind !== 'poll' || !isJsonObject(json)) return json;
  const name = operation?.version === 'v4' ? 'result' : 'output';
  return mapMembers(json, (member, value) => {
    if (member === 'status') return state;
    return member === name ? output : value;
  });
}

/** A cursor of the service in another spelling, which has to be encoded in a query. */
function disguised(cursor: string): string {
  return `${Buffer.from(cursor).toString('base64')}+/=&%25 ?`;
}

/** The cursor of the service behind a {@link disguised} one; the text itself for any other. */
export function undisguised(cursor: string): string {
  return cursor.endsWith('+/=&%25 ?') ? Buffer.from(cursor.slice(0, -'+/=&%25 ?'.length), 'base64').toString() : cursor;
}

/** Disguises the cursor of a page. */
export function withDisguisedCursor(json: JsonValue): JsonValue {
  if (!isJsonObject(json)) return json;
  return mapMembers(json, (name, value) =>
    name === 'nextCursor' && typeof value === 'string' ? disguised(value) : value,
  );
}

function mapMembers(json: JsonObject, map: (name: string, value: JsonValue) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, map(name, value)]));
}
