import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';
import type { Problem } from '#contract/problems.ts';
import type { Route } from '#contract/http-messages.ts';
import type { ParsedRequest } from '#operations/operation.ts';
import { type NamedId, derivedId } from '../known-ids.ts';
import { pageOf } from './page-lists.ts';
import { showOutput } from './show-output.ts';
import { type SchemaMemory, schemaIn } from './remember-schemas.ts';
import { uploadsFor } from './uploads.ts';

/** A request that was accepted, with the ids that it names. */
export interface Accepted {
  readonly route: Pick<Route, 'id' | 'version' | 'method'>;
  readonly parsed: ParsedRequest;
  readonly ids: readonly NamedId[];
}

/**
 * Fits an example to its request, so that a client that follows it comes to an end: the ids that the request names, the page that it asks
 * for, an address for each file, and an output that conforms to the schema of the record.
 */
export function shapeAnswer(body: JsonValue, accepted: Accepted, memory: SchemaMemory): JsonValue | Problem {
  const { route, parsed, ids } = accepted;
  if (!isJsonObject(body)) return body;
  const named = ids.reduce<JsonValue>((value, { row, id }) => withId(value, row.values, id), body);
  if (!isJsonObject(named)) return named;
  const created = startRecord(named, accepted, memory);
  const record = route.method === 'GET' ? ids[0]?.id : created['id'];
  const shown = showOutput(created, route, typeof record === 'string' ? memory.get(record) : undefined);
  const uploads = uploadsFor(shown, parsed);
  return route.method === 'GET' ? pageOf(uploads, parsed.query) : uploads;
}

/** The operations that create a record which works on a task. */
const recordKinds: Readonly<Record<string, string>> = {
  'v2 createTask': 'v2',
  'v3 createSession': 'v3',
  'v4 createRun': 'v4',
};

/** Remembers the schema of a new record. A record with a schema has an id of its own, unless the request names the session. */
function startRecord(body: JsonObject, { route, parsed }: Accepted, memory: SchemaMemory): JsonObject {
  const version = recordKinds[`${route.version} ${route.id}`];
  if (version === undefined || typeof body['id'] !== 'string') return body;
  const schema = schemaIn(parsed.body);
  const isFollowUp = version === 'v3' && isJsonObject(parsed.body) && typeof parsed.body['sessionId'] === 'string';
  const id = schema === null || isFollowUp ? body['id'] : derivedId(`${version} ${JSON.stringify(schema)}`);
  memory.set(id, schema);
  const renamed = withId(body, [body['id']], id);
  return isJsonObject(renamed) ? renamed : body;
}

/** Writes another id in the place of known ones, also inside of addresses. */
function withId(value: JsonValue, known: readonly string[], id: string): JsonValue {
  const others = known.filter((one) => one !== id);
  return others.length === 0 || id === ''
    ? value
    : mapTexts(value, (text) => others.reduce((sum, one) => sum.replaceAll(one, id), text));
}

/** Applies a function to every text of a value; names of members stay. */
export function mapTexts(value: JsonValue, change: (text: string) => string): JsonValue {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, change));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapTexts(one, change)]));
}
