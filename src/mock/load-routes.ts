import type { IHttpOperation } from '@stoplight/types';
import { operations } from '#generated/operations.ts';
import { type JsonObject, isJsonObject } from '#lib/json.ts';
import type { Route } from '#contract/wire.ts';
import { type OperationValidators, createValidators } from '#api/http/validators.ts';
import { closeSchemas } from './close-schemas.ts';
import { loadDocuments } from './documents.ts';
import { lookUp } from './look-up.ts';
import { getHttpOperationsFromSpec } from './prism.ts';

/** Names of the examples of each documented status, in document order. */
export type ExamplesByStatus = ReadonlyMap<number, readonly string[]>;

/** One operation with everything that answering it takes. */
export interface MockRoute extends Route {
  readonly successStatus: number;
  readonly validators: OperationValidators;
  /** The operation as Prism sees it; its path has no prefix. */
  readonly operation: IHttpOperation;
  /** Names of the rules that the body's schema asks for with x-rules, in order. */
  readonly rules: readonly string[];
  readonly examples: ExamplesByStatus;
}

/** All operations of the three generations, each below its own prefix. */
export async function loadRoutes(): Promise<readonly MockRoute[]> {
  const documents = loadDocuments();
  const versions = ['v2', 'v3', 'v4'] as const;
  const loaded = await Promise.all(versions.map((version) => routesOf(version, documents[version])));
  return loaded.flat();
}

async function routesOf(version: 'v2' | 'v3' | 'v4', document: JsonObject): Promise<readonly MockRoute[]> {
  const validatorsOf = createValidators(document);
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
        validators: validatorsOf(method, path),
        operation,
        rules: rulesOf(document, ['paths', path, method]),
        examples: examplesOf(document, ['paths', path, method]),
      };
    });
}

function rulesOf(document: JsonObject, place: readonly string[]): readonly string[] {
  const rules = lookUp(document, [...place, 'requestBody', 'content', 'application/json', 'schema', 'x-rules']);
  return Array.isArray(rules) ? rules.map(String) : [];
}

function examplesOf(document: JsonObject, place: readonly string[]): ExamplesByStatus {
  const responses = lookUp(document, [...place, 'responses']);
  const statuses = isJsonObject(responses) ? Object.keys(responses) : [];
  return new Map(
    statuses.map((status) => {
      const examples = lookUp(document, [...place, 'responses', status, 'content', 'application/json', 'examples']);
      return [Number(status), isJsonObject(examples) ? Object.keys(examples) : []];
    }),
  );
}
