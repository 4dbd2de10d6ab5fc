import type { FileProblem } from '#conformance/core/data-file.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';
import type { KnownNames } from './known-names.ts';
import { placesIn } from './places.ts';
import type { Reference } from './reference.ts';

/** Returns a problem for each name in a table that no table or document defines. */
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
