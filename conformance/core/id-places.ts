import { documentOperations, readDocuments } from './documents.ts';
import { type JsonObject, type JsonValue, isJsonObject, toText } from './json.ts';
import { type Operation, type OperationKey, allOperations } from './operations.ts';
import { followReferences, valueAt } from './schemas.ts';
import type { Generation } from './target.ts';

/** One location of ids in the requests of an operation: its path, or one member of the query or the body. */
export interface IdPlace {
  operation: OperationKey;
  where: 'path' | 'query' | 'body';
  /**
   * For `path`: the names of all path parameters, separated by spaces. Otherwise the name of the query member, or the
   * dotted path of the body member.
   */
  name: string;
}

const documents = readDocuments('openapi');

/**
 * Returns every location where a documented request contains the id of an existing resource: ids in paths, UUIDs in
 * queries and bodies, and list cursors in queries.
 */
export function idPlaces(): IdPlace[] {
  const described = new Map(documentOperations(documents).map((item) => [`${item.generation}.${item.id}`, item]));
  return allOperations.flatMap((operation) => {
    const whole = described.get(operation.key)?.operation ?? {};
    return [...inPath(operation), ...inQuery(operation, whole), ...inBody(operation, whole)];
  });
}

/**
 * Returns the name of a location of ids for reports, such as `v4.createRun body workspaceId`; for a path, the operation
 * alone.
 */
export function placeName({ operation, where, name }: IdPlace): string {
  return where === 'path' ? operation : `${operation} ${where} ${name}`;
}

/** Returns the names of the parameters of a path template, in their order. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name);
}

function inPath({ key, path }: Operation): IdPlace[] {
  const names = pathParameters(path);
  return names.length === 0 ? [] : [{ operation: key, where: 'path', name: names.join(' ') }];
}

function inQuery({ key, generation }: Operation, { parameters }: JsonObject): IdPlace[] {
  const all = Array.isArray(parameters) ? parameters : [];
  return all
    .map((parameter) => followReferences(documents[generation], parameter))
    .filter((parameter) => parameter['in'] === 'query' && holdsId(parameter))
    .map(({ name = '' }) => ({ operation: key, where: 'query', name: toText(name) }));
}

function holdsId({ name = '', schema = {} }: JsonObject): boolean {
  return name === 'cursor' || (isJsonObject(schema) && schema['format'] === 'uuid');
}

function inBody({ key, generation }: Operation, { requestBody }: JsonObject): IdPlace[] {
  const schema = isJsonObject(requestBody)
    ? valueAt(requestBody, ['content', 'application/json', 'schema'])
    : undefined;
  const members = schema === undefined ? [] : uuidMembers(schema, { generation, path: [] });
  return [...new Set(members)].map((name) => ({ operation: key, where: 'body', name }));
}

interface Place {
  generation: Generation;
  path: readonly string[];
}

function uuidMembers(found: JsonValue, { generation, path }: Place): string[] {
  const schema = followReferences(documents[generation], found);
  const below = (value: JsonValue | undefined, ...names: string[]): string[] =>
    value === undefined ? [] : uuidMembers(value, { generation, path: [...path, ...names] });
  const { properties, items, anyOf, allOf, oneOf } = schema;
  return [
    ...(schema['format'] === 'uuid' ? [path.join('.')] : []),
    ...Object.entries(isJsonObject(properties) ? properties : {}).flatMap(([name, value]) => below(value, name)),
    ...below(items),
    ...[anyOf, allOf, oneOf].flatMap((parts) => (Array.isArray(parts) ? parts.flatMap((part) => below(part)) : [])),
  ];
}
