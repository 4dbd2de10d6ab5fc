/** One value that a task may type. */
export interface Secret {
  /** What the agent calls it; holds neither `<` nor `>`. */
  readonly name: string;
  /** At least one character. */
  readonly value: string;
  /** Where it may be typed, as entries of `isAllowedAddress`; null for any page. */
  readonly domains: readonly string[] | null;
}

/** What stands for a secret in texts that go to the agent, and come from it: `<secret:password>`. */
export function placeholderOf(name: string): string {
  return `<secret:${name}>`;
}

/** A pattern for one placeholder; its group is the name. */
export const PLACEHOLDER = /<secret:(?<name>[^<>]+)>/g;

/** Returns where a text speaks of one of some secrets by its placeholder, in order. */
export function placeholdersIn(text: string, names: ReadonlySet<string>): { start: number; end: number }[] {
  return Array.from(text.matchAll(PLACEHOLDER)).flatMap(({ 0: whole, index, groups }) =>
    names.has(groups?.['name'] ?? '') ? [{ start: index, end: index + whole.length }] : [],
  );
}

/** A text with the values in place of its placeholders, and where they may go. */
export interface Filled {
  readonly text: string;
  readonly isPlace: (address: string) => boolean;
}
