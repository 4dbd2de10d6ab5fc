import type { JsonObject } from '#lib/json.ts';
import type { OperationNames } from './documents.ts';
import type { KnownNames } from './known-names.ts';

/** A place in a table whose strings are names that another table or a document defines. */
export interface Reference {
  /** Pattern, as for `placesIn`. */
  readonly at: string;
  /** Expected kind of name, as a noun with its article. */
  readonly expected: string;
  /** Returns the accepted names; `row` is the innermost object around the string, `rows` are all enclosing objects. */
  readonly names: (known: KnownNames, row: JsonObject, rows: readonly JsonObject[]) => readonly string[];
}

/** Function that returns the accepted names of a reference. */
export type Names = Reference['names'];

/** All generations. */
export const allVersions = ['v2', 'v3', 'v4'];

/** Returns operations of all generations, such as `v4.createRun`. */
export const operation: Names = (known) => known.operations.map(({ version, id }) => `${version}.${id}`);
/** Returns the operations that a row names by `operation` and `generation`; all operations without these members. */
export function meant(known: KnownNames, row: JsonObject): readonly OperationNames[] {
  return known.operations.filter(
    ({ version, id }) =>
      (row['generation'] === undefined || row['generation'] === version) &&
      (typeof row['operation'] !== 'string' || row['operation'] === id || row['operation'] === `${version}.${id}`),
  );
}

/** Returns operations of the generation that a row names, such as `createRun`. */
export const operationId: Names = (known, { generation }) =>
  meant(known, generation === undefined ? {} : { generation }).map(({ id }) => id);
/** Returns request body members of the operation that a row names. */
export const requestMember: Names = (known, row) => meant(known, row).flatMap(({ request }) => request);
/** Returns request body members and parameters of the operation that a row names. */
export const requestPart: Names = (known, row) =>
  meant(known, row).flatMap(({ request, parameters }) => [...request, ...parameters]);
/** Returns parameters of the operation that a row names. */
export const parameter: Names = (known, row) => meant(known, row).flatMap(({ parameters }) => parameters);
/** Returns members of the body of success of the operation that a row names. */
export const answerMember: Names = (known, row) => meant(known, row).flatMap(({ answer }) => answer());
