const TEXT_MAX = 500;

/** What a program threw, as one line: its words, and the line of the program where it is known. */
export function thrownText(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null || !('message' in thrown)) return String(thrown).slice(0, TEXT_MAX);
  const name = 'name' in thrown && typeof thrown.name === 'string' ? thrown.name : 'Error';
  const [, line] = /program\.mjs:(\d+)/.exec('stack' in thrown ? String(thrown.stack) : '') ?? [];
  const place = line === undefined ? '' : ` (line ${line} of the program)`;
  return `${name}: ${String(thrown.message).slice(0, TEXT_MAX)}${place}`;
}
