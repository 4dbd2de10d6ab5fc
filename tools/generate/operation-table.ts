import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';
import { type Version, versions } from './bundle.ts';
import { expectObject, expectText } from './parse.ts';

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

/**
 * Returns one row per operation of all documents, in document order, with the facts that a router, a client and a
 * report need.
 */
export function operationTable(documents: Record<Version, JsonObject>): JsonObject[] {
  return versions.flatMap((version) => getOperations(version, documents[version]));
}

function getOperations(version: Version, document: JsonObject): JsonObject[] {
  const paths = Object.entries(expectObject(document['paths'], `${version} paths`));
  return paths.flatMap(([path, item]) => {
    const operations = expectObject(item, path);
    return methods
      .filter((method) => method in operations)
      .map((method) =>
        row({ version, path, method, document, operation: expectObject(operations[method], `${method} ${path}`) }),
      );
  });
}

interface Found {
  readonly version: Version;
  readonly path: string;
  readonly method: (typeof methods)[number];
  readonly document: JsonObject;
  readonly operation: JsonObject;
}

function row({ version, path, method, document, operation }: Found): JsonObject {
  const id = expectText(operation['operationId'], `${method} ${path} operationId`);
  const parameters = list(operation['parameters']).map((parameter) => resolve(document, parameter));
  const body = operation['requestBody'];
  const responses = Object.keys(expectObject(operation['responses'], `${id} responses`)).map(Number);
  return {
    id,
    version,
    method,
    path,
    summary: expectText(operation['summary'], `${id} summary`),
    pathParameters: namesIn(parameters, 'path'),
    queryParameters: namesIn(parameters, 'query'),
    body: describeBody(body, id),
    successStatus: responses.find((status) => status >= 200 && status < 300) ?? 200,
    statuses: responses,
    source: expectText(operation['x-source'], `${id} x-source`),
  };
}

function list(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function namesIn(parameters: JsonObject[], place: string): string[] {
  return parameters
    .filter((parameter) => parameter['in'] === place)
    .map((parameter) => expectText(parameter['name'], 'parameter name'));
}

function resolve(document: JsonObject, value: JsonValue): JsonObject {
  const node = expectObject(value, 'parameter');
  const reference = node['$ref'];
  if (typeof reference !== 'string') return node;
  let found: JsonValue | undefined = document;
  for (const part of reference.replace('#/', '').split('/')) found = isJsonObject(found) ? found[part] : undefined;
  return expectObject(found, reference);
}

function describeBody(body: JsonValue | undefined, id: string): 'none' | 'required' | 'optional' {
  if (body === undefined) return 'none';
  return expectObject(body, `${id} body`)['required'] === true ? 'required' : 'optional';
}
