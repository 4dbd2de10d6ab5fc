import type { Route } from '#contract/http-messages.ts';
import type { Problem } from '#contract/problems.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts';
import type { ParsedRequest } from '#operations/operation.ts';
import { derivedId, type NamedId } from '../known-ids.ts';
import { selectPage } from './page-lists.ts';
import { schemaIn, type SchemaMemory, type StructuredOutput } from './remember-schemas.ts';
import { uploadsFor } from './uploads.ts';

/** An accepted request with the ids that it contains. */
export interface Accepted {
  readonly route: Pick<Route, 'id' | 'version' | 'method'>;
  readonly parsed: ParsedRequest;
  readonly ids: readonly NamedId[];
}

/**
 * Adapts an example to its request, so that a client that follows it reaches an end. It replaces ids and URLs, selects
 * the requested page, and inserts an output that conforms to the record's schema.
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

/** Kinds of records by the operations that create them with a task. */
const recordKinds: Readonly<Record<string, string>> = {
  'v2 createTask': 'v2',
  'v3 createSession': 'v3',
  'v4 createRun': 'v4',
};

/** Stores the schema of a new record. A record with a schema gets its own id, unless the request names the session. */
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

/** Replaces known ids by another id, also inside URLs. */
function withId(value: JsonValue, known: readonly string[], id: string): JsonValue {
  const others = known.filter((one) => one !== id);
  return others.length === 0 || id === ''
    ? value
    : mapTexts(value, (text) => others.reduce((sum, one) => sum.replaceAll(one, id), text));
}

/** Applies a function to every text of a value; member names stay unchanged. */
export function mapTexts(value: JsonValue, change: (text: string) => string): JsonValue {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, change));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapTexts(one, change)]));
}

/** Reason of a failed record for which the mock found no conforming value. */
const missed = 'The mock found no value that conforms to the output schema.';

type Shower = (body: JsonObject, structured: StructuredOutput) => JsonObject;

/** Operations that show an output, by API version and operation id. */
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
 * Replaces the example's output by the output of a record with a schema. Returns the body unchanged without a schema.
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
