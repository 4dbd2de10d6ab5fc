/** A secret that a task may type. */
export interface Secret {
  /** Name of the secret for the agent; contains neither `<` nor `>`. */
  readonly name: string;
  /** Value of at least one character. */
  readonly value: string;
  /**
   * Domains on whose pages the secret may be typed, in the format that the function `isAllowedAddress` accepts; null
   * for any page.
   */
  readonly domains: readonly string[] | null;
}

/** Returns the placeholder of a secret in texts of the agent: `<secret:password>`. */
export function getPlaceholder(name: string): string {
  return `<secret:${name}>`;
}

/** Matches one placeholder; its group is the name. */
export const placeholderPattern = /<secret:(?<name>[^<>]+)>/g;

/** Returns the placeholders in a text that stand for the named secrets, in order. */
export function placeholdersIn(text: string, names: ReadonlySet<string>): { start: number; end: number }[] {
  return Array.from(text.matchAll(placeholderPattern)).flatMap(({ 0: whole, index, groups }) =>
    names.has(groups?.['name'] ?? '') ? [{ start: index, end: index + whole.length }] : [],
  );
}

/**
 * A text with secret values in place of its placeholders. `isPlace` returns whether a page with a given URL may receive
 * this text.
 */
export interface Filled {
  readonly text: string;
  readonly isPlace: (address: string) => boolean;
}
