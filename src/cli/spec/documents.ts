import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isJsonObject, type JsonObject } from '#lib/json.ts';

/** API versions with a document. */
export const documentVersions = ['v2', 'v3', 'v4'] as const;

/** An API version with a document. */
export type DocumentVersion = (typeof documentVersions)[number];

/** Returns the absolute path of the bundled OpenAPI document of an API version. */
export function documentPath(version: DocumentVersion): string {
  return fileURLToPath(new URL(`../../../generated/openapi/${version}.json`, import.meta.url));
}

/**
 * Returns the text of the bundled document of an API version: JSON that ends with a line break. Its schemas contain the
 * matrices of supported reasoning values as `if`/`then`.
 */
export function documentText(version: DocumentVersion): string {
  return readFileSync(documentPath(version), 'utf8');
}

/**
 * Sets `enum` in every schema below `node` that has `x-enum-from`, and removes `x-enum-from`, in place. So the names
 * are written only in spec/rules. `listNames` returns the names of a table such as `models.v3`; a table without names
 * sets no `enum`.
 */
export function fillEnums(node: unknown, listNames: (table: string) => readonly string[]): void {
  visit(node, listNames, new Set());
}

/**
 * Visits all values below a node once. `seen` is needed because resolved references may place one object in several
 * positions, or in a cycle.
 */
function visit(node: unknown, listNames: (table: string) => readonly string[], seen: Set<unknown>): void {
  if (typeof node !== 'object' || node === null || seen.has(node)) return;
  seen.add(node);
  if (isJsonObject(node) && typeof node['x-enum-from'] === 'string') {
    const names = listNames(node['x-enum-from']);
    if (names.length > 0) node['enum'] = [...names];
    delete node['x-enum-from'];
  }
  for (const member of Object.values(node)) visit(member, listNames, seen);
}

const methods = ['get', 'put', 'post', 'patch', 'delete', 'head', 'options', 'trace'];

/** An operation of a document with its path and method. */
export interface FoundOperation {
  /** HTTP method in lower case. */
  readonly method: string;
  readonly path: string;
  readonly operation: JsonObject;
}

/** Returns all operations of a document, in document order. */
export function listOperations(document: JsonObject): FoundOperation[] {
  const paths = isJsonObject(document['paths']) ? document['paths'] : {};
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(isJsonObject(item) ? item : {}).flatMap(([method, operation]) =>
      methods.includes(method) && isJsonObject(operation) ? [{ method, path, operation }] : [],
    ),
  );
}
