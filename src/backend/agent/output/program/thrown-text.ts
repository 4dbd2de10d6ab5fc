const TEXT_MAX = 500;

/** What a program threw, as one line: its words, and the line of the program where it is known. */
export function thrownText(thrown: unknown): string {
  // An engine without memory for an error throws null.
  if (thrown === null) return 'null, which is also what is thrown when the program is out of memory';
  if (typeof thrown !== 'object' || !('message' in thrown)) return String(thrown).slice(0, TEXT_MAX);
  const name = 'name' in thrown && typeof thrown.name === 'string' ? thrown.name : 'Error';
  const [, line] = /program\.mjs:(\d+)/.exec('stack' in thrown ? String(thrown.stack) : '') ?? [];
  const place = line === undefined ? '' : ` (line ${line} of the program)`;
  return `${name}: ${String(thrown.message).slice(0, TEXT_MAX)}${place}`;
}
