/** An outline in which the values of password fields are left out: they stand at the ends of the lines of text boxes. */
export function withoutPasswords(outline: string, passwords: ReadonlySet<string>): string {
  if (passwords.size === 0) return outline;
  const shown = new Set(Array.from(passwords, (value) => normal(value)));
  return outline
    .split('\n')
    .map((line) => withoutPassword(line, shown))
    .join('\n');
}

const field = /^(?<head>\s*- textbox\b.*?\[ref=\w+\](?: \[[^\]]*\])*: )(?<value>.*)$/;

/** A line whose end is looked at. Of a longer one of a text box the end is left out, where its value stands. */
export const LINE_MAX = 2_000;

function withoutPassword(line: string, shown: ReadonlySet<string>): string {
  if (line.length > LINE_MAX) return line.trimStart().startsWith('- textbox') ? line.slice(0, LINE_MAX) : line;
  const { head, value } = field.exec(line)?.groups ?? {};
  if (head === undefined || value === undefined) return line;
  return shown.has(normal(unquoted(value))) ? `${head}(hidden)` : line;
}

/** As an outline shows a text: with single blanks only. */
function normal(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** A text that could be read as something else stands in double quotes, written as JSON is. */
function unquoted(value: string): string {
  if (!/^".*"$/.test(value)) return value;
  try {
    return String(JSON.parse(value));
  } catch (error) {
    if (error instanceof SyntaxError) return value;
    throw error;
  }
}
