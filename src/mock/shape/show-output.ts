import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';
import type { Route } from '#contract/http-messages.ts';
import type { Structured } from './remember-schemas.ts';

/** Why a record without a conforming value shows none. */
const missed = 'The mock found no value that conforms to the output schema.';

type Shower = (body: JsonObject, structured: Structured) => JsonObject;

/** The operations that show an output, by generation and id. */
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

/** Puts the output of a record with a schema in the place of the example's; the same body where there is no schema. */
export function showOutput(
  body: JsonObject,
  { version, id }: Pick<Route, 'version' | 'id'>,
  structured: Structured | undefined,
): JsonObject {
  const shower = showers[`${version} ${id}`];
  return structured === undefined || shower === undefined ? body : shower(body, structured);
}

function taskOutput(body: JsonObject, structured: Structured): JsonObject {
  const { output } = structured;
  return { ...body, output: output === undefined ? null : JSON.stringify(output), isSuccess: output !== undefined };
}

function textFor({ output }: Structured): string {
  if (output === undefined) return missed;
  return typeof output === 'string' ? output : JSON.stringify(output);
}

function mapped(value: JsonValue | undefined, change: (item: JsonObject) => JsonObject): JsonValue[] {
  return Array.isArray(value) ? value.map((item) => (isJsonObject(item) ? change(item) : item)) : [];
}
