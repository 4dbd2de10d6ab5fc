/** Read access to the files of the repository. */
export interface Tree {
  read(file: string): string;
  exists(file: string): boolean;
}

/** What is to be written, and what a person does then. */
export interface Made {
  /** Path from the root -> whole text. */
  readonly files: ReadonlyMap<string, string>;
  /** Steps, in order. */
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

/** A place in a data file that still has to be filled in; `npm run generate` refuses a file that contains one. */
export function gap(what: string): string {
  return `"<fill in: ${what}>"`;
}

/** `getThing` as `get-thing`, `PURGE-02` as `purge-02`. */
export function kebabCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])([A-Z])/g, '-$1').toLowerCase();
}

/** `purge-02` as `purge02`, `two-keys` as `twoKeys`. */
export function camelCase(kebab: string): string {
  return kebab.replace(/-(\w)/g, (_all, letter: string) => letter.toUpperCase());
}

/** A text with more lines before the first line that a pattern fits. Throws a {@link NewFault} where none does. */
export function insertBefore(text: string, pattern: RegExp, lines: readonly string[]): string {
  const all = text.split('\n');
  const at = all.findIndex((line) => pattern.test(line));
  if (at === -1) throw new NewFault(`found no line like ${String(pattern)} to write before`);
  return all.toSpliced(at, 0, ...lines).join('\n');
}

/**
 * A text with a line more: below the last of some lines that follow one another in this order, with others between them. Throws a
 * {@link NewFault} where they do not.
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
