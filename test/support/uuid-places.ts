import v2 from '#generated/openapi/v2.json' with { type: 'json' };
import v3 from '#generated/openapi/v3.json' with { type: 'json' };
import v4 from '#generated/openapi/v4.json' with { type: 'json' };
import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';
import { operations } from '#generated/operations.ts';
import { expectObject } from '../../tools/generate/parse.ts';

const documents = { v2: v2 as JsonObject, v3: v3 as JsonObject, v4: v4 as JsonObject };

/** A row of the generated table of operations. */
export type Listed = (typeof operations)[number];

/** Returns the entry of an operation in its document. */
function describedAs({ version, path, method }: Listed): JsonObject {
  const paths = expectObject(documents[version]['paths'], version);
  return expectObject(expectObject(paths[path], path)[method], `${method} ${path}`);
}

/** Returns the first example of an operation's body; undefined for an operation without one. */
export function exampleBody(operation: Listed): JsonValue | undefined {
  const { example, examples } = jsonBody(operation);
  if (example !== undefined) return example;
  return isJsonObject(examples) ? Object.values(examples).find(isJsonObject)?.['value'] : undefined;
}

/**
 * Returns the locations in requests where the documents allow a UUID, such as `v4 createRun browserSettings.profileId`
 * or `v4 listRuns query sessionId`.
 */
export function uuidPlaces(): string[] {
  return operations.flatMap((operation) => {
    const { id, version } = operation;
    const { schema } = jsonBody(operation);
    const inBody = schema === undefined ? [] : uuidMembers(schema, { version, place: [] });
    return [...uuidQueries(operation), ...new Set(inBody)].map((place) => `${version} ${id} ${place}`);
  });
}

function jsonBody(operation: Listed): JsonObject {
  const { requestBody } = describedAs(operation);
  const content = isJsonObject(requestBody) ? requestBody['content'] : undefined;
  const json = isJsonObject(content) ? content['application/json'] : undefined;
  return isJsonObject(json) ? json : {};
}

function uuidQueries(operation: Listed): string[] {
  const { parameters } = describedAs(operation);
  const all = Array.isArray(parameters) ? parameters.map((parameter) => resolved(parameter, operation.version)) : [];
  return all
    .filter(
      (parameter) => parameter['in'] === 'query' && expectObject(parameter['schema'], 'schema')['format'] === 'uuid',
    )
    .map((parameter) => `query ${String(parameter['name'])}`);
}

interface Place {
  readonly version: Listed['version'];
  readonly place: readonly string[];
}

function uuidMembers(found: JsonValue, { version, place }: Place): string[] {
  const schema = resolved(found, version);
  const below = (value: JsonValue | undefined, name?: string): string[] =>
    value === undefined ? [] : uuidMembers(value, { version, place: name === undefined ? place : [...place, name] });
  const { properties, items, anyOf, allOf, oneOf } = schema;
  return [
    ...(schema['format'] === 'uuid' ? [place.join('.')] : []),
    ...Object.entries(isJsonObject(properties) ? properties : {}).flatMap(([name, value]) => below(value, name)),
    ...below(items),
    ...[anyOf, allOf, oneOf].flatMap((parts) => (Array.isArray(parts) ? parts.flatMap((part) => below(part)) : [])),
  ];
}

function resolved(value: JsonValue, version: Listed['version']): JsonObject {
  const object = expectObject(value, version);
  const { $ref } = object;
  if (typeof $ref !== 'string') return object;
  const steps = $ref.split('/').slice(1);
  return steps.reduce((at, step) => expectObject(at[step], $ref), documents[version]);
}
