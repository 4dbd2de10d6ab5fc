declare const safe: unique symbol;

/** Text without a character that a terminal acts upon, that is invisible, or that turns the reading order around. */
export type SafeText = string & { readonly [safe]: true };

/** Controls (C0, C1, DEL), formats (bidirectional controls, zero width, tags), halves of a pair, separators of lines and paragraphs; not tab and line feed. */
const unsafe = /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * Replaces every unsafe character of a text by its JSON escape such as `\u001b`. In text that is JSON this changes nothing of its value. Text from a
 * target reaches every output through this function.
 */
export function safeText(text: string): SafeText {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the only place where text becomes safe
  return text.replaceAll(unsafe, escaped) as SafeText;
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => String.raw`\u${unit.toString(16).padStart(4, '0')}`).join('');
}

/** A copy of a JSON value in which every text is safe, names of members included. */
export function safeStrings<T>(value: T): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- texts become texts, and nothing else is changed
  return copied(value) as T;
}

function copied(value: unknown): unknown {
  if (typeof value === 'string') return safeText(value);
  if (Array.isArray(value)) return value.map((entry: unknown) => copied(entry));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]: [string, unknown]) => [safeText(name), copied(member)]),
  );
}

/** JSON as an output: the same value, with unsafe characters as escapes. */
export function jsonText(value: unknown, indent = 2): SafeText {
  return safeText(`${JSON.stringify(value, null, indent)}\n`);
}
