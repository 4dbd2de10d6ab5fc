import { NewFault } from './new-fault.ts';

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
