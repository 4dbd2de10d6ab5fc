import { getUnits } from './matcher.ts';

/** A decoded form of a text: UTF-16 units with their positions in the original text. */
export interface Reading {
  readonly units: Uint16Array;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

/**
 * Returns the decoded forms of a text in which a secret may occur: unchanged, percent-decoded, decoded as form data,
 * and the last two with JSON escapes decoded. They are folded as `folded` describes; the unchanged form of a non-ASCII
 * text is included unfolded too. Returns at most six forms, each in linear time.
 */
export function getReadings(text: string): Reading[] {
  const written = asWritten(text);
  const decoded = text.includes('%') ? withoutPercent(written) : written;
  const form = text.includes('+') ? withBlanks(decoded) : decoded;
  const sources = new Set([written, decoded, form]);
  for (const source of [decoded, form]) if (source.units.includes(backslash)) sources.add(withoutJson(source));
  const readings = Array.from(sources, folded);
  // The unchanged text is included too, so that an exact occurrence is found however folding changes its neighbours.
  return isAscii(text) ? readings : [...readings, written];
}

/** A search pattern of a secret. */
export interface Pattern {
  readonly text: string;
  /**
   * Number of characters of the secret that a match reveals. It can exceed the length of the pattern, because one blank
   * of the pattern can stand for several blanks of the secret.
   */
  readonly weight: number;
}

/**
 * Returns the search patterns that find a secret in the decoded forms of a text. Surrounding spaces are ignored; a
 * blank value has no patterns.
 */
export function getPatterns(value: string): Pattern[] {
  const whole = value.trim();
  const written = asWritten(whole);
  const plain = getText(folded(written)).trim();
  const decoded = getText(folded(withoutPercent(written))).trim();
  const weights = new Map<string, number>();
  // Folding shortens an ASCII text only by blanks; it also removes invisible characters of other texts.
  weights.set(plain, isAscii(value) ? whole.length : Math.min(whole.length, plain.length));
  if (!isAscii(value)) weights.set(whole, whole.length);
  if (!weights.has(decoded)) weights.set(decoded, Math.min(whole.length, decoded.length));
  // Some forms write a blank as `+` but leave plus signs of a value unchanged.
  const form = decoded.includes('+') ? decoded.replaceAll(' ', '+') : '';
  if (!weights.has(form)) weights.set(form, Math.min(whole.length, form.length));
  return Array.from(weights, ([text, weight]) => ({ text, weight })).filter(({ text }) => text !== '');
}

/** Returns whether the UTF-16 unit at `at` belongs to a letter, digit or combining mark; false outside the reading. */
export function isWordAt({ units }: Reading, at: number): boolean {
  const unit = units[at];
  if (unit === undefined) return false;
  if (unit < 0x80) return isAsciiWord(unit);
  const isTrail = unit >= 0xdc_00 && unit < 0xe0_00;
  const isLead = unit >= 0xd8_00 && unit < 0xdc_00;
  const first = isTrail ? (units[at - 1] ?? 0) : unit;
  const second = isLead ? (units[at + 1] ?? 0) : unit;
  return /[\p{L}\p{N}\p{M}]/u.test(isTrail || isLead ? String.fromCharCode(first, second) : String.fromCharCode(unit));
}

const blank = 0x20;
const percentByte = 0x25;
const plus = 0x2b;
const backslash = 0x5c;
const letterU = 0x75;

/** Builder of a {@link Reading}: UTF-16 units with their positions in the original text. */
class Units {
  #units: Uint16Array;
  #starts: Int32Array;
  #ends: Int32Array;
  #length = 0;

  constructor(room: number) {
    this.#units = new Uint16Array(room);
    this.#starts = new Int32Array(room);
    this.#ends = new Int32Array(room);
  }

  push(unit: number, start: number, end: number): void {
    if (this.#length === this.#units.length) this.#grow();
    this.#units[this.#length] = unit;
    this.#starts[this.#length] = start;
    this.#ends[this.#length] = end;
    this.#length += 1;
  }

  pushText(text: string, start: number, end: number): void {
    for (let at = 0; at < text.length; at += 1) this.push(text.charCodeAt(at), start, end);
  }

  /** Adds a blank; consecutive blanks become one. */
  pushBlank(start: number, end: number): void {
    if (this.#length > 0 && this.#units[this.#length - 1] === blank) this.#ends[this.#length - 1] = end;
    else this.push(blank, start, end);
  }

  reading(): Reading {
    return {
      units: this.#units.subarray(0, this.#length),
      starts: this.#starts.subarray(0, this.#length),
      ends: this.#ends.subarray(0, this.#length),
    };
  }

  #grow(): void {
    const room = Math.max(16, this.#length * 2);
    const [units, starts, ends] = [new Uint16Array(room), new Int32Array(room), new Int32Array(room)];
    units.set(this.#units);
    starts.set(this.#starts);
    ends.set(this.#ends);
    [this.#units, this.#starts, this.#ends] = [units, starts, ends];
  }
}

function asWritten(text: string): Reading {
  const starts = new Int32Array(text.length);
  const ends = new Int32Array(text.length);
  for (let at = 0; at < text.length; at += 1) {
    starts[at] = at;
    ends[at] = at + 1;
  }
  return { units: getUnits(text), starts, ends };
}

function getText({ units }: Pick<Reading, 'units'>): string {
  let text = '';
  for (const unit of units) text += String.fromCharCode(unit);
  return text;
}

/**
 * Decodes `+` as a blank, as in form data. Percent-escapes were decoded before, so an escaped plus sign is no blank.
 */
function withBlanks(source: Reading): Reading {
  const isBlank = (unit: number, at: number): boolean =>
    unit === plus && (source.ends[at] ?? 0) - (source.starts[at] ?? 0) === 1;
  return { ...source, units: source.units.map((unit, at) => (isBlank(unit, at) ? blank : unit)) };
}

/**
 * Decodes percent-escapes, also repeatedly escaped ones, at any depth. Invalid UTF-8 stays unchanged, except that `%25`
 * becomes a percent sign.
 */
function withoutPercent(source: Reading): Reading {
  const { units, starts, ends } = source;
  const read = new Units(units.length);
  for (let at = 0; at < units.length; ) {
    const escape = units[at] === percentByte ? escapedCharacter(units, at) : null;
    const next = escape?.next ?? at + 1;
    const [start, end] = [starts[at] ?? 0, ends[next - 1] ?? 0];
    if (escape === null) read.push(units[at] ?? 0, start, end);
    else read.pushText(escape.text, start, end);
    at = next;
  }
  return read.reading();
}

function escapedCharacter(units: Uint16Array, at: number): { readonly text: string; readonly next: number } | null {
  const first = escapedByte(units, at);
  const percent =
    units[at + 1] === 0x32 && units[at + 2] === 0x35 ? { text: '%', next: findLevelsEnd(units, at) } : null;
  if (first === null) return percent;
  const bytes = [first.byte];
  let { next } = first;
  while (bytes.length < utf8Length(first.byte)) {
    const more = escapedByte(units, next);
    if (more === null) return percent;
    bytes.push(more.byte);
    ({ next } = more);
  }
  if (first.byte < 0x80) return { text: String.fromCharCode(first.byte), next };
  const text = Buffer.from(bytes).toString('utf8');
  return text.includes('\u{FFFD}') ? percent : { text, next };
}

function utf8Length(byte: number): number {
  if (byte < 0xc0) return 1;
  if (byte < 0xe0) return 2;
  return byte < 0xf0 ? 3 : 4;
}

/**
 * Decodes the byte of a percent-escape at `at`, such as `%41`, also if escaped repeatedly (`%2541`); null without one.
 */
function escapedByte(units: Uint16Array, at: number): { readonly byte: number; readonly next: number } | null {
  if (units[at] !== percentByte) return null;
  const next = findLevelsEnd(units, at);
  const byte = hexNumber(units, next, 2);
  return byte === null ? null : { byte, next: next + 2 };
}

/** Returns the index after a percent sign and all `25` that follow: each `25` is one more level of escaping. */
function findLevelsEnd(units: Uint16Array, at: number): number {
  let next = at + 1;
  while (units[next] === 0x32 && units[next + 1] === 0x35) next += 2;
  return next;
}

const jsonEscapes = new Map(
  Object.entries({ '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }).map(
    ([letter, meaning]) => [letter.charCodeAt(0), meaning.charCodeAt(0)],
  ),
);

/** Decodes the escapes of JSON text. */
function withoutJson({ units, starts, ends }: Reading): Reading {
  const read = new Units(units.length);
  for (let at = 0; at < units.length; ) {
    const [unit, length] = units[at] === backslash ? jsonCharacter(units, at) : [units[at] ?? 0, 1];
    read.push(unit, starts[at] ?? 0, ends[at + length - 1] ?? 0);
    at += length;
  }
  return read.reading();
}

/**
 * Returns the UTF-16 unit of a JSON escape and the length of the escape. For a backslash that begins no escape, returns
 * the backslash and 1.
 */
function jsonCharacter(units: Uint16Array, at: number): readonly [unit: number, length: number] {
  const following = units[at + 1] ?? 0;
  const simple = jsonEscapes.get(following);
  if (simple !== undefined) return [simple, 2];
  const numbered = following === letterU ? hexNumber(units, at + 2, 4) : null;
  return numbered === null ? [backslash, 1] : [numbered, 6];
}

function hexNumber(units: Uint16Array, at: number, digits: number): number | null {
  let value = 0;
  for (let place = at; place < at + digits; place += 1) {
    const digit = hexDigit(units[place] ?? 0);
    if (digit === null) return null;
    value = value * 16 + digit;
  }
  return value;
}

function hexDigit(unit: number): number | null {
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30;
  const lower = unit | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : null;
}

/**
 * Normalises text for matching: case folding and canonical decomposition (Unicode), whitespace collapsed, invisible
 * characters such as soft hyphens and zero-width joiners removed.
 */
function folded({ units, starts, ends }: Reading): Reading {
  const read = new Units(units.length);
  for (let at = 0; at < units.length; ) {
    const next = findCharacterEnd(units, at);
    const text =
      next === at + 1 ? foldedUnit(units[at] ?? 0) : foldedText(getText({ units: units.subarray(at, next) }));
    const [start, end] = [starts[at] ?? 0, ends[next - 1] ?? 0];
    if (text === ' ') read.pushBlank(start, end);
    else read.pushText(text, start, end);
    at = next;
  }
  return read.reading();
}

/** Returns the end of a character, including its marks and following invisible characters. */
function findCharacterEnd(units: Uint16Array, at: number): number {
  const [unit, following] = [units[at] ?? 0, units[at + 1] ?? 0];
  // The common case: an ASCII character without a mark.
  if (unit < 0x80 && following < 0x80) return at + 1;
  const first = characterAt(units, at);
  return getKind(first) === Kind.blank ? at + first.length : findClusterEnd(units, at + first.length);
}

/**
 * Maximum number of marks that are sorted together (Unicode allows 30 in stream-safe text), because sorting is
 * quadratic.
 */
const clusterMax = 64;

/** Returns the end of the marks and invisible characters after a character. */
function findClusterEnd(units: Uint16Array, from: number): number {
  let next = from;
  while (next < Math.min(units.length, from + clusterMax)) {
    const character = characterAt(units, next);
    const kind = getKind(character);
    if (kind !== Kind.mark && kind !== Kind.invisible) return next;
    next += character.length;
  }
  return next;
}

function characterAt(units: Uint16Array, at: number): string {
  const [unit, following] = [units[at] ?? 0, units[at + 1] ?? 0];
  const isPair = unit >= 0xd8_00 && unit < 0xdc_00 && following >= 0xdc_00 && following < 0xe0_00;
  return isPair ? String.fromCharCode(unit, following) : String.fromCharCode(unit);
}

const Kind = { plain: 1, blank: 2, mark: 3, invisible: 4 } as const;

/** Cache: the kind of each UTF-16 unit, 0 before its first use. `foldings` is the cache of the folded forms. */
const kinds = new Uint8Array(0x1_00_00);
const foldings: (string | undefined)[] = Array.from({ length: 0x1_00_00 });

function getKind(character: string): number {
  if (character.length > 1) return examined(character);
  const unit = character.charCodeAt(0);
  const known = kinds[unit] ?? 0;
  if (known !== 0) return known;
  const kind = examined(character);
  kinds[unit] = kind;
  return kind;
}

function examined(character: string): number {
  if (/\p{Default_Ignorable_Code_Point}/u.test(character)) return Kind.invisible;
  if (/\s/.test(character)) return Kind.blank;
  return /\p{M}/u.test(character) ? Kind.mark : Kind.plain;
}

function foldedUnit(unit: number): string {
  const known = foldings[unit];
  if (known !== undefined) return known;
  const text = getKind(String.fromCharCode(unit)) === Kind.blank ? ' ' : foldedText(String.fromCharCode(unit));
  foldings[unit] = text;
  return text;
}

/**
 * Removes invisible characters, decomposes the text and folds its case. Case is folded through upper case, which maps
 * `ß` to SS and both small sigmas to one letter.
 */
function foldedText(text: string): string {
  const visible = text.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '');
  return visible.normalize('NFD').toUpperCase().toLowerCase().normalize('NFD');
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) >= 0x80) return false;
  return true;
}

function isAsciiWord(unit: number): boolean {
  const lower = unit | 0x20;
  return (unit >= 0x30 && unit <= 0x39) || (lower >= 0x61 && lower <= 0x7a);
}
