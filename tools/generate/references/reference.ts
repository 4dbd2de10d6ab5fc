import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';
import type { OperationNames } from './documents.ts';
import type { KnownNames } from './known-names.ts';
import type { FileProblem } from '#conformance/core/data-file.ts';
import { placesIn } from './places.ts';

/** Strings of a table that must be names. Another table or a document defines these names. */
export interface Reference {
  /** Pattern of the paths of these strings, in the form that `placesIn` accepts. */
  readonly at: string;
  /** Expected kind of name, as a noun with its article. */
  readonly expected: string;
  /**
   * Returns the names that a string may be. `row` is the innermost object that contains the string; `rows` are all
   * objects that contain it, innermost first.
   */
  readonly names: (known: KnownNames, row: JsonObject, rows: readonly JsonObject[]) => readonly string[];
}

/** Function that returns the accepted names of a reference. */
export type Names = Reference['names'];

/** All generations. */
export const allVersions = ['v2', 'v3', 'v4'];

/** Returns the names of the operations of all generations, such as `v4.createRun`. */
export const operation: Names = (known) => known.operations.map(({ version, id }) => `${version}.${id}`);
/**
 * Returns the operations that a row selects by its members `operation` and `generation`. A missing member does not
 * restrict the selection.
 */
export function meant(known: KnownNames, row: JsonObject): readonly OperationNames[] {
  return known.operations.filter(
    ({ version, id }) =>
      (row['generation'] === undefined || row['generation'] === version) &&
      (typeof row['operation'] !== 'string' || row['operation'] === id || row['operation'] === `${version}.${id}`),
  );
}

/**
 * Returns the ids, such as `createRun`, of the operations of the generation that a row names; of all generations if the
 * row names none.
 */
export const operationId: Names = (known, { generation }) =>
  meant(known, generation === undefined ? {} : { generation }).map(({ id }) => id);
/** Returns the request body members of the operations that a row selects. */
export const requestMember: Names = (known, row) => meant(known, row).flatMap(({ request }) => request);
/** Returns the request body members and parameters of the operations that a row selects. */
export const requestPart: Names = (known, row) =>
  meant(known, row).flatMap(({ request, parameters }) => [...request, ...parameters]);
/** Returns the parameters of the operations that a row selects. */
export const parameter: Names = (known, row) => meant(known, row).flatMap(({ parameters }) => parameters);
/** Returns the members of the bodies of success responses of the operations that a row selects. */
export const answerMember: Names = (known, row) => meant(known, row).flatMap(({ answer }) => answer());

/**
 * Returns a problem for each string at a reference that is not an accepted name, and for each `source` that names a
 * missing decision.
 */
export function referenceProblems(
  table: JsonObject,
  references: readonly Reference[],
  known: KnownNames,
): FileProblem[] {
  const wrong = references.flatMap(({ at, expected, names }) =>
    placesIn(table, at).flatMap(({ path, word, rows }): FileProblem[] => {
      const [row = {}] = rows;
      const accepted = names(known, row, rows);
      if (accepted.includes(word)) return [];
      return [
        { path, text: `${path.join('.')} is "${word}", expected ${expected}`, unknown: { word, known: accepted } },
      ];
    }),
  );
  return [...wrong, ...sourceProblems(table, [], known)];
}

/** Returns a problem for each `source` that names a missing decision. */
function sourceProblems(value: JsonValue | undefined, path: FileProblem['path'], known: KnownNames): FileProblem[] {
  if (Array.isArray(value)) return value.flatMap((item, at) => sourceProblems(item, [...path, at], known));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]): FileProblem[] => {
    const place = [...path, name];
    if (name !== 'source' || typeof inner !== 'string') return sourceProblems(inner, place, known);
    return [...inner.matchAll(/\bdecision (\d+)/g)]
      .filter(([, number]) => !known.decisions.includes(String(Number(number))))
      .map(([found]) => ({
        path: place,
        text: `${place.join('.')} names "${found}", expected a file of docs/decisions`,
      }));
  });
}
