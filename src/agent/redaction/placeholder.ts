import type { Secret } from './secret.ts';

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

/** A label or a path as it really is: its words may be those of a value. It is looked for and given to no page. */
export function withValues(label: string, secrets: readonly Secret[]): string {
  return label.replaceAll(
    PLACEHOLDER,
    (whole, name: string) => secrets.find((one) => one.name === name)?.value ?? whole,
  );
}
