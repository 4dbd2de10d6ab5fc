/** Read access to the files of the repository; each path is relative to its root. */
export interface Tree {
  read(file: string): string;
  exists(file: string): boolean;
  /** Returns the paths of the files that match a glob pattern. */
  list(pattern: string): readonly string[];
}

/** Files to write, and the next steps for the user. */
export interface Made {
  /** Complete text of each file to write, by its path from the root. */
  readonly files: ReadonlyMap<string, string>;
  /** Next steps for the user, in order. */
  readonly next: readonly string[];
}

/** Values of the flags of `npm run new`. */
export interface NewFlags {
  readonly version?: string | undefined;
  readonly method?: string | undefined;
  readonly path?: string | undefined;
  readonly area?: string | undefined;
}

/** Wrong usage of `npm run new`. The message is a sentence for the user. */
export class NewFault extends Error {
  override readonly name = 'NewFault';
}

/**
 * Returns the marker of a value that the user must fill in. `npm run generate` rejects a file that contains a marker.
 */
export function gap(what: string): string {
  return `"<fill in: ${what}>"`;
}

/** Converts `getThing` to `get-thing`, and `PURGE-02` to `purge-02`. */
export function kebabCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])([A-Z])/g, '-$1').toLowerCase();
}

/** Converts `purge-02` to `purge02`, and `two-keys` to `twoKeys`. */
export function camelCase(kebab: string): string {
  return kebab.replace(/-(\w)/g, (_all, letter: string) => letter.toUpperCase());
}

/** Inserts lines before the first line that matches a pattern. Throws a {@link NewFault} if no line matches. */
export function insertBefore(text: string, pattern: RegExp, lines: readonly string[]): string {
  const all = text.split('\n');
  const at = all.findIndex((line) => pattern.test(line));
  if (at === -1) throw new NewFault(`found no line like ${String(pattern)} to write before`);
  return all.toSpliced(at, 0, ...lines).join('\n');
}

/**
 * Finds the lines `headings`, each below the previous one, and inserts a line below the last. Throws a {@link NewFault}
 * if a heading is missing.
 */
export function insertBelow(text: string, headings: readonly string[], line: string): string {
  const lines = text.split('\n');
  let at = -1;
  for (const heading of headings) {
    const found = lines.indexOf(heading, at + 1);
    if (found === -1) throw new NewFault(`found no line "${heading}" to write below`);
    at = found;
  }
  return lines.toSpliced(at + 1, 0, line).join('\n');
}
