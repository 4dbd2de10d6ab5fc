/** A problem at one position of a parsed file. */
export interface FileProblem {
  /** Position of the problem in the file: member names and list indexes, from the top. */
  readonly path: readonly (string | number)[];
  readonly text: string;
  /** A word that is not allowed at this position, and the allowed words, so that the message can suggest one. */
  readonly unknown?: { readonly word: string; readonly known: readonly string[] };
}

/**
 * A parsed configuration file, which can report problems at positions in the file. The command line reads the file; the
 * service interprets `value`.
 */
export interface DataFile {
  readonly name: string;
  readonly value: unknown;
  /**
   * Returns an error that lists the problems with the name of the file, and their lines and columns if these are known.
   */
  fault(problems: readonly FileProblem[]): Error;
}

/**
 * Creates a problem of a list item at `path`. If `text` begins with `.member`, the problem is at this member of the
 * item.
 */
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
 * Converts a schema error of Ajv into a problem at its position. For an unknown member, includes the names of the
 * allowed members. The schema must be compiled with the option `verbose`.
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
