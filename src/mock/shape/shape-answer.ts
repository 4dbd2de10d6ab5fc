import type { Route } from '#contract/http-messages.ts';
import { type Problem, isProblem, problem } from '#contract/problems.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';
import type { ParsedRequest } from '#operations/operation.ts';
import { type NamedId, derivedId } from '../known-ids.ts';
import { type SchemaMemory, type StructuredOutput, schemaIn } from './remember-schemas.ts';
import { uploadsFor } from './uploads.ts';

/** An accepted request with the ids that it contains. */
interface Accepted {
  readonly route: Pick<Route, 'id' | 'version' | 'method'>;
  readonly parsed: ParsedRequest;
  readonly ids: readonly NamedId[];
}

/**
 * Adapts an example response to the request. Inserts the ids of the request, an output that conforms to the record's
 * schema, and the files of an upload. Selects the requested page of a list. Returns a refusal for a malformed cursor.
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
  return route.method === 'GET' ? selectPage(uploads, parsed.query) : uploads;
}

/** Operations that create a record with a task, each with its API version. */
const recordKinds: Readonly<Record<string, string>> = {
  'v2 createTask': 'v2',
  'v3 createSession': 'v3',
  'v4 createRun': 'v4',
};

/**
 * Stores the output schema of a created record. A record with a schema gets an id that is derived from the schema. A V3
 * follow-up keeps the id of its session.
 */
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

/**
 * Returns a value in which `id` replaces all other known ids, also inside URLs. Returns the value unchanged if `id` is
 * empty.
 */
function withId(value: JsonValue, known: readonly string[], id: string): JsonValue {
  const others = known.filter((one) => one !== id);
  return others.length === 0 || id === ''
    ? value
    : mapTexts(value, (text) => others.reduce((sum, one) => sum.replaceAll(one, id), text));
}

/** Applies a function to every string in a JSON value; names of members stay unchanged. */
export function mapTexts(value: JsonValue, change: (text: string) => string): JsonValue {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, change));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapTexts(one, change)]));
}

/** Message in the response for a failed task for which the mock found no output that conforms to the schema. */
const missed = 'The mock found no value that conforms to the output schema.';

type Shower = (body: JsonObject, structured: StructuredOutput) => JsonObject;

/** Functions that insert a structured output into a response, by API version and operation id. */
const showers: Readonly<Record<string, Shower>> = {
  'v2 getTask': taskOutput,
  'v2 getTaskStatus': taskOutput,
  'v3 createSession': (body, { schema }) => ({ ...body, outputSchema: schema }),
  'v3 getSession': (body, { schema, output = null }) => ({
    ...body,
    output,
    outputSchema: schema,
    isTaskSuccessful: output !== null,
  }),
  'v3 listMessages': (body, structured) => ({
    ...body,
    messages: mapped(body['messages'], (message) =>
      message['type'] === 'completion'
        ? { ...message, data: textFor(structured), summary: textFor(structured) }
        : message,
    ),
  }),
  'v4 getRun': (body, structured) => ({
    ...body,
    output: structured.output ?? null,
    outputSchema: structured.schema,
    result: textFor(structured),
  }),
  'v4 listRunEvents': (body, structured) => ({
    ...body,
    events: mapped(body['events'], (event) =>
      event['type'] === 'run.completed'
        ? { ...event, data: { success: structured.output !== undefined, reason: null, result: textFor(structured) } }
        : event,
    ),
  }),
};

/**
 * Replaces the output in an example response by the structured output of the record. Returns the body unchanged for a
 * record without a schema.
 */
function showOutput(
  body: JsonObject,
  { version, id }: Pick<Route, 'version' | 'id'>,
  structured: StructuredOutput | undefined,
): JsonObject {
  const shower = showers[`${version} ${id}`];
  return structured === undefined || shower === undefined ? body : shower(body, structured);
}

function taskOutput(body: JsonObject, structured: StructuredOutput): JsonObject {
  const { output } = structured;
  return { ...body, output: output === undefined ? null : JSON.stringify(output), isSuccess: output !== undefined };
}

function textFor({ output }: StructuredOutput): string {
  if (output === undefined) return missed;
  return typeof output === 'string' ? output : JSON.stringify(output);
}

function mapped(value: JsonValue | undefined, change: (item: JsonObject) => JsonObject): JsonValue[] {
  return Array.isArray(value) ? value.map((item) => (isJsonObject(item) ? change(item) : item)) : [];
}

type Query = ParsedRequest['query'];

/**
 * Selects the requested page of a list from the example, which contains the whole list. A page beyond the end is empty.
 * Returns a refusal for a malformed cursor.
 */
function selectPage(body: JsonObject, query: Query): JsonObject | Problem {
  const [name, all] = Object.entries(body).find(([, value]) => Array.isArray(value)) ?? [];
  if (name === undefined || !Array.isArray(all)) return body;
  const items = all.filter((item) => isWanted(item, query));
  if ('limit' in query && 'after' in query && name === 'events') return eventPage(body, items, query);
  if (name === 'messages') return { ...body, ...messagePage(items, query) };
  if ('hasMore' in body && 'nextCursor' in body) {
    const page = cursorPage(items, query);
    return isProblem(page) ? page : { ...body, [name]: page.items, nextCursor: page.nextCursor, hasMore: page.hasMore };
  }
  return numberedPage(body, { name, items }, query);
}

/** Returns whether an item of a list passes the filters of the query, which select by status and session. */
function isWanted(item: JsonValue, { filterBy, sessionId }: Query): boolean {
  if (!isJsonObject(item)) return true;
  if (typeof filterBy === 'string' && item['status'] !== filterBy) return false;
  return typeof sessionId !== 'string' || item['sessionId'] === sessionId.toLowerCase();
}

function numberedPage(
  body: JsonObject,
  { name, items }: { readonly name: string; readonly items: readonly JsonValue[] },
  query: Query,
): JsonObject {
  const isSnake = 'page_size' in query;
  const number = query[isSnake ? 'page' : 'pageNumber'];
  const size = query[isSnake ? 'page_size' : 'pageSize'];
  if (typeof number !== 'number' || typeof size !== 'number') return { ...body, [name]: [...items] };
  const total = 'total' in body ? 'total' : 'totalItems';
  const shown = items.slice((number - 1) * size, number * size);
  return { ...body, [name]: shown, [total]: items.length, [isSnake ? 'page' : 'pageNumber']: number, pageSize: size };
}

const cursorForm = /^after-(\d{1,9})$/;

interface CursorPage {
  readonly items: JsonValue[];
  readonly nextCursor: string | null;
  readonly hasMore: boolean;
}

function cursorPage(items: readonly JsonValue[], { cursor, limit }: Query): CursorPage | Problem {
  const found = typeof cursor === 'string' ? cursorForm.exec(cursor) : null;
  if (typeof cursor === 'string' && found === null) return problem('cursor_malformed', {});
  const from = Number(found?.[1] ?? 0);
  const to = from + (typeof limit === 'number' ? limit : items.length);
  const hasMore = to < items.length;
  return { items: items.slice(from, to), nextCursor: hasMore ? `after-${to}` : null, hasMore };
}

function eventPage(body: JsonObject, events: readonly JsonValue[], query: Query): JsonObject {
  const after = Number(query['after']);
  const left = events.filter((event) => isJsonObject(event) && Number(event['id']) > after);
  const shown = left.slice(0, Number(query['limit']));
  const last = shown.at(-1);
  const page = query['include_output'] === false ? shown.map(withoutResult) : shown;
  return {
    ...body,
    events: page,
    nextAfter: isJsonObject(last) ? (last['id'] ?? after) : after,
    hasMore: shown.length < left.length,
  };
}

function withoutResult(event: JsonValue): JsonValue {
  if (!isJsonObject(event) || !isJsonObject(event['data'])) return event;
  const { result: _left, ...data } = event['data'];
  return { ...event, data };
}

/**
 * Returns the requested messages: those after the message `after`, those before the message `before`, or the newest. At
 * most `limit`; empty if the named message is unknown.
 */
function messagePage(messages: readonly JsonValue[], { after, before, limit }: Query): JsonObject {
  const size = typeof limit === 'number' ? limit : messages.length;
  const place = (id: unknown): number => messages.findIndex((one) => isJsonObject(one) && one['id'] === id);
  if (typeof after === 'string') {
    const at = place(after.toLowerCase());
    const newer = at < 0 ? [] : messages.slice(at + 1);
    return { messages: newer.slice(0, size), hasMore: newer.length > size };
  }
  const older = typeof before === 'string' ? messages.slice(0, Math.max(0, place(before.toLowerCase()))) : messages;
  return { messages: older.slice(-size), hasMore: older.length > size };
}
