/** Collects the values of a flag that may be repeated. */
export function collect(line: string, lines: string[]): string[] {
  return [...lines, line];
}
