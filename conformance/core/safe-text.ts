declare const safe: unique symbol;

/** Text without characters that control a terminal, are invisible, or reverse the reading direction. */
export type SafeText = string & { readonly [safe]: true };

/**
 * Controls (C0, C1, DEL), formats (bidirectional controls, zero width, tags), unpaired surrogates, line and paragraph
 * separators; not tab and line feed.
 */
const unsafe = /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * Replaces each unsafe character by its JSON escape, such as `\u001b`. The value of a JSON text does not change. Every
 * output that contains text of a target uses this function.
 */
export function safeText(text: string): SafeText {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the only place where text becomes safe
  return text.replaceAll(unsafe, escaped) as SafeText;
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => String.raw`\u${unit.toString(16).padStart(4, '0')}`).join('');
}

/** Returns a copy of a JSON value in which every text is safe, including the names of members. */
export function safeStrings<T>(value: T): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only texts are changed, into texts
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

/** Returns a value as JSON for output, with unsafe characters as escapes. */
export function jsonText(value: unknown, indent = 2): SafeText {
  return safeText(`${JSON.stringify(value, null, indent)}\n`);
}
