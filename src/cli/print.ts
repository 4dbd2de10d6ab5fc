import { type SafeText, safeText } from '#conformance/core/safe-text.ts';

/**
 * Matches the colour codes of `createPaint`. Texts keep these codes only if {@link hasColours} returns true for the
 * stream.
 */
// oxlint-disable-next-line no-control-regex -- the codes begin with one
const colours = /(\u{1B}\[(?:1|2|22|31|32|33|39)m)/u;

/**
 * Patterns of texts that build servers execute as commands when a step prints them, with replacements: `::error` at the
 * start of a line (GitHub), and `##[`, `##vso[` and `##teamcity[` anywhere.
 */
const commands = [
  [/^([^\S\r\n\u2028\u2029]*):(?=:)/gmu, String.raw`$1\u003a`],
  [/#(?=#(?:vso|teamcity)?\[)/gu, String.raw`\u0023`],
] as const;

/**
 * Writes text to standard output, and escapes control sequences of terminals and commands of build servers. Must be
 * used for text that does not come from this program.
 */
export function print(text: string): void {
  process.stdout.write(shownOn(process.stdout, text));
}

/** Writes a line to standard output as {@link print} does. */
export function printLine(text: string): void {
  print(`${text}\n`);
}

/** Writes text to standard error as {@link print} does to standard output. */
export function printError(text: string): void {
  process.stderr.write(shownOn(process.stderr, text));
}

/**
 * Returns whether a stream gets colours. If FORCE_COLOR is set, it decides. Otherwise terminals get colours, unless
 * NO_COLOR is set.
 */
export function hasColours({ isTTY }: { readonly isTTY?: boolean }): boolean {
  const forced = process.env['FORCE_COLOR'];
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return isTTY === true && (process.env['NO_COLOR'] ?? '') === '';
}

/**
 * Returns text in which control sequences of terminals and commands of build servers are escaped. Colours stay if the
 * stream shows colours.
 */
export function shownOn(stream: { readonly isTTY?: boolean }, text: string): SafeText {
  const parts = hasColours(stream) ? text.split(colours) : [text];
  const shown = parts.map((part, at) => (at % 2 === 1 ? part : withoutCommands(part)));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every part is safe, or a colour of our own
  return shown.join('') as SafeText;
}

function withoutCommands(text: string): string {
  return commands.reduce((line, [word, shown]) => line.replaceAll(word, shown), String(safeText(text)));
}

/** An output stream that may be a terminal. */
export interface Screen {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

/**
 * Formats rows, all with the same number of texts, as a table. Each column is as wide as its widest text, two spaces separate the columns, and lines have
 * no trailing spaces.
 */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_cell, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
