import type { IHttpOperation } from '@stoplight/types';
import { createValidators, type OperationValidators } from '#api/http/validators.ts';
import { type Route, tooLarge } from '#contract/http-messages.ts';
import { defaultRules, getLimit } from '#contract/rule-book.ts';
import v2 from '#generated/openapi/v2.json' with { type: 'json' };
import v3 from '#generated/openapi/v3.json' with { type: 'json' };
import v4 from '#generated/openapi/v4.json' with { type: 'json' };
import { operations } from '#generated/operations.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts';
import { isWithin } from '#lib/json-size.ts';
import { getHttpOperationsFromSpec } from './prism.ts';

/** Names of the documented examples of an operation, by status, in document order. */
export type ExamplesByStatus = ReadonlyMap<number, readonly string[]>;

/** An operation with the data to answer its requests. */
export interface MockRoute extends Route {
  readonly successStatus: number;
  readonly validators: OperationValidators;
  /** The operation in the format of Prism. Its path has no prefix such as `/api/v4`. */
  readonly operation: IHttpOperation;
  /** Names of the rules that the body schema lists under `x-rules`, in order. */
  readonly rules: readonly string[];
  readonly examples: ExamplesByStatus;
}

/** Loads all operations of V2, V3 and V4 from the documents. Their paths have a prefix such as `/api/v4`. */
export async function loadRoutes(): Promise<readonly MockRoute[]> {
  const documents = loadDocuments();
  const versions = ['v2', 'v3', 'v4'] as const;
  const loaded = await Promise.all(versions.map((version) => listRoutes(version, documents[version])));
  return loaded.flat();
}

async function listRoutes(version: 'v2' | 'v3' | 'v4', document: JsonObject): Promise<readonly MockRoute[]> {
  const getValidators = createValidators(document);
  const known = await getHttpOperationsFromSpec(closeSchemas(document));
  return operations
    .filter((row) => row.version === version)
    .map(({ id, method, path, successStatus }) => {
      const operation = known.find((candidate) => candidate.method === method && candidate.path === path);
      if (operation === undefined)
        throw new Error(`generated/openapi/${version}.json: Prism found no ${method} ${path}`);
      return {
        id,
        version,
        method: method.toUpperCase(),
        path: `/api/${version}${path}`,
        successStatus,
        validators: getValidators(method, path),
        operation,
        rules: readRules(document, ['paths', path, method]),
        examples: readExamples(document, ['paths', path, method]),
      };
    });
}

function readRules(document: JsonObject, place: readonly string[]): readonly string[] {
  const rules = lookUp(document, [...place, 'requestBody', 'content', 'application/json', 'schema', 'x-rules']);
  return Array.isArray(rules) ? rules.map(String) : [];
}

function readExamples(document: JsonObject, place: readonly string[]): ExamplesByStatus {
  const responses = lookUp(document, [...place, 'responses']);
  const statuses = isJsonObject(responses) ? Object.keys(responses) : [];
  return new Map(
    statuses.map((status) => {
      const examples = lookUp(document, [...place, 'responses', status, 'content', 'application/json', 'examples']);
      return [Number(status), isJsonObject(examples) ? Object.keys(examples) : []];
    }),
  );
}

/**
 * Returns a copy of a document whose named object schemas forbid additional members. From this copy, Prism generates
 * only documented members. The copy is not used to validate bodies, because the API allows new members.
 */
function closeSchemas(document: JsonObject): JsonObject {
  const closed = structuredClone(document);
  const components = closed['components'];
  const schemas = isJsonObject(components) ? components['schemas'] : undefined;
  for (const schema of isJsonObject(schemas) ? Object.values(schemas) : []) {
    if (isJsonObject(schema) && isJsonObject(schema['properties'])) schema['additionalProperties'] = false;
  }
  return closed;
}

/**
 * Resolves a path of member names in a document. Follows local references such as `#/components/schemas/Session`.
 * Returns undefined if the path does not exist.
 */
function lookUp(document: JsonObject, names: readonly string[]): JsonValue | undefined {
  let found: JsonValue | undefined = document;
  for (const name of names) {
    if (!isJsonObject(found)) return undefined;
    found = follow(document, found[name]);
  }
  return found;
}

function follow(document: JsonObject, value: JsonValue | undefined): JsonValue | undefined {
  const reference = isJsonObject(value) ? value['$ref'] : undefined;
  return typeof reference === 'string' ? lookUp(document, reference.replace('#/', '').split('/')) : value;
}

/** Returns copies of the bundled documents by version. Each call returns new copies, because Prism modifies them. */
export function loadDocuments(): Readonly<Record<'v2' | 'v3' | 'v4', JsonObject>> {
  return { v2: copy(v2), v3: copy(v3), v4: copy(v4) };
}

function copy(document: object): JsonObject {
  const value: unknown = structuredClone(document);
  if (isJsonObject(value)) return value;
  throw new Error('generated/openapi: expected an object');
}

/** Limits of the nesting depth and the number of values in a body. The service rejects a body above these limits. */
const bounds = {
  depth: getLimit(defaultRules, 'requestJsonDepth'),
  values: getLimit(defaultRules, 'requestJsonValues'),
};

/**
 * Maximum size in bytes of a body that `readJson` parses. Parsing a larger body, in addition to answering the request,
 * would take too long.
 */
const bytesMax = 262_144;

/**
 * Parses a body as JSON. Returns undefined for an empty or invalid body, and for a body that exceeds `bounds` or
 * `bytesMax`.
 */
export function readJson(bytes: Uint8Array | typeof tooLarge | undefined): JsonValue | undefined {
  if (bytes === undefined || bytes === tooLarge || bytes.length === 0 || bytes.length > bytesMax) return undefined;
  if (!isWithin(bytes, bounds)) return undefined;
  try {
    const value: JsonValue = JSON.parse(Buffer.from(bytes).toString('utf8'));
    return value;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
