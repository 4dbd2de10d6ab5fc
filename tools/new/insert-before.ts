import { NewFault } from './new-fault.ts';

/** A text with more lines before the first line that a pattern fits. Throws a {@link NewFault} where none does. */
export function insertBefore(text: string, pattern: RegExp, lines: readonly string[]): string {
  const all = text.split('\n');
  const at = all.findIndex((line) => pattern.test(line));
  if (at === -1) throw new NewFault(`found no line like ${String(pattern)} to write before`);
  return all.toSpliced(at, 0, ...lines).join('\n');
}
