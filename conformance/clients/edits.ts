import { type JsonObject, type JsonValue, isJsonObject } from '../core/json.ts';
import type { ClientExchange } from './recording.ts';

/** Names of members with free content, in which `withNewMembers` and `withNewValues` change nothing. */
const free = new Set(['output', 'outputSchema', 'metadata', 'data', 'result']);

/** Adds an undocumented member to every object, except below members with free content. */
export function withNewMembers(json: JsonValue, word: string): JsonValue {
  if (Array.isArray(json)) return json.map((item) => withNewMembers(item, word));
  if (!isJsonObject(json)) return json;
  const members = Object.entries(json).map(([name, value]) => [
    name,
    free.has(name) ? value : withNewMembers(value, word),
  ]);
  return { ...Object.fromEntries(members), [`new_${word}`]: { nested: [1, null, word] } };
}

/** Members with a value of an enumeration that may grow. */
const growing = new Set(['model', 'llm', 'proxyCountryCode', 'thinkingLevel']);

/** Replaces each value of an extensible enumeration by an undocumented value. */
export function withNewValues(json: JsonValue, word: string): JsonValue {
  if (Array.isArray(json)) return json.map((item) => withNewValues(item, word));
  if (!isJsonObject(json)) return json;
  return mapMembers(json, (name, value) => {
    if (growing.has(name)) return `new-${word}`;
    return free.has(name) ? value : withNewValues(value, word);
  });
}

/**
 * Replaces each cost of a record (members that end in `CostUsd`, except `maxCostUsd`) with the given long decimal
 * string.
 */
export function withDecimals(json: JsonValue, decimal: string): JsonValue {
  if (!isJsonObject(json)) return json;
  return mapMembers(json, (name, value) => (name.endsWith('CostUsd') && name !== 'maxCostUsd' ? decimal : value));
}

/**
 * In a page of events, adds `shift` to each event id and to `nextAfter`, because event ids of a real deployment do not
 * begin at 1. Returns any other answer unchanged, also a page to which the fault `nothingNew` applied.
 */
export function withEventIds(json: JsonValue, { kind, fault }: ClientExchange, shift: number): JsonValue {
  if (kind !== 'events' || fault?.do === 'nothingNew' || !isJsonObject(json) || !Array.isArray(json['events']))
    return json;
  const shifted = (value: JsonValue | undefined): JsonValue =>
    typeof value === 'number' ? value + shift : (value ?? null);
  const events = json['events'].map((event) => (isJsonObject(event) ? { ...event, id: shifted(event['id']) } : event));
  return { ...json, events, nextAfter: shifted(json['nextAfter']) };
}

/**
 * Replaces the type of each `run.created` event, the first event of a run, by an undocumented type. Returns an answer
 * without events unchanged.
 */
export function withNewKind(json: JsonValue, kind: string): JsonValue {
  if (!isJsonObject(json) || !Array.isArray(json['events'])) return json;
  const events = json['events'].map((event) => {
    return isJsonObject(event) && event['type'] === 'run.created' ? { ...event, type: kind } : event;
  });
  return { ...json, events };
}

/** Replaces the status and the output of a record in the answer to a poll. Returns any other answer unchanged. */
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

/** Encodes a cursor of the service with characters that must be percent-encoded in a query. */
function disguised(cursor: string): string {
  return `${Buffer.from(cursor).toString('base64')}+/=&%25 ?`;
}

/** Returns the original cursor for a cursor that {@link disguised} encoded; returns any other text unchanged. */
export function undisguised(cursor: string): string {
  return cursor.endsWith('+/=&%25 ?') ? Buffer.from(cursor.slice(0, -'+/=&%25 ?'.length), 'base64').toString() : cursor;
}

/** Replaces the cursor of a page by its {@link disguised} form. */
export function withDisguisedCursor(json: JsonValue): JsonValue {
  if (!isJsonObject(json)) return json;
  return mapMembers(json, (name, value) =>
    name === 'nextCursor' && typeof value === 'string' ? disguised(value) : value,
  );
}

function mapMembers(json: JsonObject, map: (name: string, value: JsonValue) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, map(name, value)]));
}
