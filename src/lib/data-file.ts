/** A problem at a place of a parsed file. */
export interface FileProblem {
  /** Member names and indexes from the top of the file to the problem. */
  readonly path: readonly (string | number)[];
  readonly text: string;
  /** An unknown word and the words that are known there, from which a suggestion is made. */
  readonly unknown?: { readonly word: string; readonly known: readonly string[] };
}

/** A parsed file of an operator that can name the lines of its problems. The command line reads it; the service interprets its value. */
export interface DataFile {
  readonly name: string;
  readonly value: unknown;
  /** Returns an error that names the file, and the line and column of each problem. */
  fault(problems: readonly FileProblem[]): Error;
}

/** Returns a problem of a row at `path`; `text` begins with `.member` where one member of the row is wrong. */
export function rowProblem(path: FileProblem['path'], text: string): FileProblem {
  const [, member] = /^\.(\w+)/.exec(text) ?? [];
  return { path: member === undefined ? path : [...path, member], text: `${path.join('.')}${text}` };
}

/** What a compiled schema says of a value. */
interface SchemaError {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
  readonly parentSchema?: Readonly<Record<string, unknown>>;
}

/** Returns a problem of a schema at its place, with the known words for an unknown member. The schema has to be compiled with `verbose`. */
export function schemaProblem({ instancePath, keyword, message, params, parentSchema }: SchemaError): FileProblem {
  const path = instancePath.split('/').slice(1);
  const place = path.length === 0 ? 'the file' : path.join('.');
  const allowed = params['allowedValues'];
  if (Array.isArray(allowed)) return { path, text: `${place} must be one of ${allowed.join(', ')}` };
  if (keyword !== 'additionalProperties') return { path, text: `${place} ${message ?? 'is not valid'}` };
  const word = String(params['additionalProperty']);
  const known = Object.keys(parentSchema?.['properties'] ?? {});
  return { path: [...path, word], text: `${place} has the unknown member "${word}"`, unknown: { word, known } };
}
