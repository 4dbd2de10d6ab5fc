/** Shorter values are looked for only where they stand alone: inside of words and numbers they are no secret, and nothing could be read. */
const FREELY_FROM = 4;

const blank = String.raw`(?:\s|\+|\\[nrt]|%(?:25)*(?:20|09|0a|0d))+`;

/**
 * A pattern for a value however it is spelt: in any case, with any white space between its words, and each character as it is,
 * or as addresses, forms and JSON write it. Who writes an address encodes what has to be, and that differs from place to place.
 */
export function anySpelling(value: string): RegExp {
  const characters = Array.from(value.matchAll(/\s+|./gsu), ([part]) => (/^\s/.test(part) ? blank : spellingsOf(part)));
  const literal = characters.join('');
  const alone = String.raw`(?<![\p{L}\p{N}])${literal}(?![\p{L}\p{N}])`;
  return new RegExp(value.length < FREELY_FROM ? alone : literal, 'giu');
}

/** A text as a pattern for exactly that text. */
export function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}

function spellingsOf(character: string): string {
  const json = JSON.stringify(character).slice(1, -1);
  const all = new Set([escaped(character), percentEncoded(character), escaped(json), unicodeEscaped(character)]);
  return `(?:${[...all].join('|')})`;
}

/** As an address has it, also one that stands in another address. */
function percentEncoded(character: string): string {
  return Array.from(Buffer.from(character), (byte) => `%(?:25)*${hex(byte, 2)}`).join('');
}

function unicodeEscaped(character: string): string {
  return character
    .split('')
    .map((unit) => String.raw`\\u${hex(unit.charCodeAt(0), 4)}`)
    .join('');
}

function hex(number: number, digits: number): string {
  return number.toString(16).padStart(digits, '0');
}
