/** A problem at one position of a parsed file. */
export interface FileProblem {
  /** Member names and indexes from the top of the file to the problem. */
  readonly path: readonly (string | number)[];
  readonly text: string;
  /** An unknown word with the allowed words, for a suggestion. */
  readonly unknown?: { readonly word: string; readonly known: readonly string[] };
}

/**
 * A parsed configuration file that can report problems with line numbers. The command line reads the file; the service
 * interprets `value`.
 */
export interface DataFile {
  readonly name: string;
  readonly value: unknown;
  /** Returns an error that names the file with line and column of each problem. */
  fault(problems: readonly FileProblem[]): Error;
}

/** Returns a problem of the row at `path`; `text` begins with `.member` for a problem of one member. */
export function rowProblem(path: FileProblem['path'], text: string): FileProblem {
  const [, member] = /^\.(\w+)/.exec(text) ?? [];
  return { path: member === undefined ? path : [...path, member], text: `${path.join('.')}${text}` };
}

/** A validation error of a compiled schema. */
interface SchemaError {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
  readonly parentSchema?: Readonly<Record<string, unknown>>;
}

/**
 * Converts a schema error into a problem at its position, with the allowed names for an unknown member. The schema must
 * be compiled with `verbose`.
 */
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
