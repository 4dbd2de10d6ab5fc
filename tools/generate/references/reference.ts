import type { JsonObject } from '#lib/json.ts';
import type { OperationNames } from './documents.ts';
import type { KnownNames } from './known-names.ts';

/** A place of a table whose texts are names that another table or a document defines. */
export interface Reference {
  /** A pattern as that of `placesIn`. */
  readonly at: string;
  /** What the text has to be, as a noun with its article. */
  readonly expected: string;
  /** Returns the names that are accepted; `row` is the innermost object around the text, `rows` are all of them. */
  readonly names: (known: KnownNames, row: JsonObject, rows: readonly JsonObject[]) => readonly string[];
}

/** How a reference finds its names. */
export type Names = Reference['names'];

/** The generations. */
export const allVersions = ['v2', 'v3', 'v4'];

/** Operations of all generations, as `v4.createRun`. */
export const operation: Names = (known) => known.operations.map(({ version, id }) => `${version}.${id}`);
/** Operations that a row means by `operation` and `generation`; all of them where it names neither. */
export function meant(known: KnownNames, row: JsonObject): readonly OperationNames[] {
  return known.operations.filter(
    ({ version, id }) =>
      (row['generation'] === undefined || row['generation'] === version) &&
      (typeof row['operation'] !== 'string' || row['operation'] === id || row['operation'] === `${version}.${id}`),
  );
}

/** Operations of the generation that a row names, as `createRun`. */
export const operationId: Names = (known, { generation }) =>
  meant(known, generation === undefined ? {} : { generation }).map(({ id }) => id);
/** Members of the request body of the operation that a row names. */
export const requestMember: Names = (known, row) => meant(known, row).flatMap(({ request }) => request);
/** Members of the request body and parameters of the operation that a row names. */
export const requestPart: Names = (known, row) =>
  meant(known, row).flatMap(({ request, parameters }) => [...request, ...parameters]);
/** Parameters of the operation that a row names. */
export const parameter: Names = (known, row) => meant(known, row).flatMap(({ parameters }) => parameters);
/** Members of the body of success of the operation that a row names. */
export const answerMember: Names = (known, row) => meant(known, row).flatMap(({ answer }) => answer());
