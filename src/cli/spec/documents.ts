import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isJsonObject, type JsonObject } from '#lib/json.ts';

/** The generations that have a document. */
export const documentVersions = ['v2', 'v3', 'v4'] as const;

/** One generation. */
export type DocumentVersion = (typeof documentVersions)[number];

/** Absolute path of the bundled OpenAPI document of a generation. */
export function documentPath(version: DocumentVersion): string {
  return fileURLToPath(new URL(`../../../generated/openapi/${version}.json`, import.meta.url));
}

/** Text of the bundled document, with the reasoning matrices compiled into its schemas; JSON, ends with a line break. */
export function documentText(version: DocumentVersion): string {
  return readFileSync(documentPath(version), 'utf8');
}

/**
 * Gives every schema below `node` that says `x-enum-from` its enumeration, in place, so that a name is written once, in
 * spec/rules. `namesOf` answers the names of a table such as `models.v3`; where it has none, the schema stays unlimited.
 */
export function fillEnums(node: unknown, namesOf: (table: string) => readonly string[]): void {
  visit(node, namesOf, new Set());
}

/** References may have been replaced by what they point to: the same object in several places, or in a circle. */
function visit(node: unknown, namesOf: (table: string) => readonly string[], seen: Set<unknown>): void {
  if (typeof node !== 'object' || node === null || seen.has(node)) return;
  seen.add(node);
  if (isJsonObject(node) && typeof node['x-enum-from'] === 'string') {
    const names = namesOf(node['x-enum-from']);
    if (names.length > 0) node['enum'] = [...names];
    delete node['x-enum-from'];
  }
  for (const member of Object.values(node)) visit(member, namesOf, seen);
}

const methods = ['get', 'put', 'post', 'patch', 'delete', 'head', 'options', 'trace'];

/** One operation of a document and where it stands. */
export interface FoundOperation {
  /** Lower case. */
  readonly method: string;
  readonly path: string;
  readonly operation: JsonObject;
}

/** Every operation of a document, in document order. */
export function operationsOf(document: JsonObject): FoundOperation[] {
  const paths = isJsonObject(document['paths']) ? document['paths'] : {};
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(isJsonObject(item) ? item : {}).flatMap(([method, operation]) =>
      methods.includes(method) && isJsonObject(operation) ? [{ method, path, operation }] : [],
    ),
  );
}
