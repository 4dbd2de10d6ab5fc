/** What people call the element of a reference in an outline: its name in quotation marks, else what it says, its kind, or the reference. */
export function labelIn(outline: string, ref: string): string {
  const line = outline.split('\n').find((one) => one.includes(`[ref=${ref}]`));
  if (line === undefined) return ref;
  const said = nameIn(line) ?? textIn(line);
  if (said !== undefined) return `“${shortened(said)}”`;
  const kind = /^\s*- '?(?<kind>[\w-]+)/.exec(line)?.groups?.['kind'] ?? 'generic';
  return kind === 'generic' ? ref : `the ${kind} ${ref}`;
}

function nameIn(line: string): string | undefined {
  return /^\s*- '?[\w-]+ "(?<name>(?:[^"\\]|\\.)+)"/.exec(line)?.groups?.['name'];
}

function textIn(line: string): string | undefined {
  return /\[ref=\w+\](?: \[[^\]]*\])*'?: (?<text>.+)$/.exec(line)?.groups?.['text'];
}

/** A summary is one line. */
function shortened(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 79)}…`;
}
