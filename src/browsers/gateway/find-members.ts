import { isUtf8 } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts';

/*
 * Locates members of a JSON object in its bytes, for messages that are too large or too deeply nested to parse in one
 * event-loop tick. The browser must read the same members, so text that it may read otherwise is rejected, for example
 * comments. Some invalid JSON passes, which the browser itself rejects.
 */

/** Maximum number of bytes that `findMembers` scans in one event-loop tick. */
const sliceBytes = 512 * 1024;
/** Maximum size of a member name or value that is parsed, in bytes; longer values stay unparsed. */
const memberBytes = 4096;

/** Position of a value in the bytes of a JSON text. */
export interface Range {
  readonly from: number;
  /** Index after the last byte of the value. */
  readonly to: number;
}

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const comma = 0x2c;
const bracket = { open: 0x5b, close: 0x5d };
const brace = { open: 0x7b, close: 0x7d };
/** Code of the space character. Lower codes are control characters, which JSON strings must not contain. */
const blank = 0x20;
/**
 * Bytes that may occur outside of strings besides brackets, braces, commas and colons: those of whitespace, numbers,
 * true, false and null.
 */
const plain = new Set(Buffer.from(' \t\r\n+-.0123456789Eaeflnrstu'));

/** Positions of the members of an object, by name. */
export interface FoundMembers {
  readonly members: ReadonlyMap<string, Range>;
  /** Whether the object is nested too deeply. Then `members` has only the members before that position. */
  readonly isTooDeep: boolean;
}

/**
 * Locates the members of a JSON object with at most `levels` levels of nesting. Of two members with the same name, the
 * last counts. Resolves to null for bytes that are no UTF-8, and for most malformed objects. Does not check numbers and
 * literals, nor commas and colons inside nested values. Accepts a comma before the closing brace.
 */
export async function findMembers(bytes: Buffer, levels: number): Promise<FoundMembers | null> {
  if (!isUtf8(bytes)) return null;
  const walk = new Walk(bytes, levels);
  for (let at = 0; at < bytes.length; at = walk.at) {
    if (!walk.goTo(Math.min(bytes.length, at + sliceBytes)))
      return walk.isTooDeep ? { members: walk.found, isTooDeep: true } : null;
    // Slices give other tasks of the event loop a turn.
    await setImmediate();
  }
  const members = walk.members();
  return members === null ? null : { members, isTooDeep: false };
}

/**
 * Locates the members of a JSON object synchronously and without a nesting limit; for texts of at most some hundred
 * kilobytes. Returns null for most texts that are no JSON object.
 */
export function findMembersNow(bytes: Buffer): ReadonlyMap<string, Range> | null {
  const walk = new Walk(bytes, bytes.length);
  return walk.goTo(bytes.length) ? walk.members() : null;
}

/**
 * Returns the parsed value of a located member. Undefined when the member is absent, longer than 4096 bytes, or no
 * JSON.
 */
export function valueIn(bytes: Buffer, range: Range | undefined): unknown {
  if (range === undefined || range.to - range.from > memberBytes) return undefined;
  return parsed(bytes.toString('utf8', range.from, range.to));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Scans the bytes of a JSON object and records the position of each member value. */
class Walk {
  at = 0;
  isTooDeep = false;
  readonly found = new Map<string, Range>();
  readonly #bytes: Buffer;
  readonly #closers: number[] = [];
  readonly #levels: number;
  #isInText = false;
  #textFrom = 0;
  #name: string | null = null;
  #valueFrom = 0;
  #isEnded = false;

  constructor(bytes: Buffer, levels: number) {
    this.#bytes = bytes;
    this.#levels = levels;
  }

  members(): ReadonlyMap<string, Range> | null {
    return this.#isEnded && !this.#isInText ? this.found : null;
  }

  /**
   * Scans up to the index `to` or slightly beyond. Returns false when the bytes are no JSON object, or are nested too
   * deeply.
   */
  goTo(to: number): boolean {
    while (this.at < to) {
      if (this.#isInText ? !this.#walkText(to) : !this.#step(this.#bytes[this.at] ?? 0)) return false;
    }
    return true;
  }

  #walkText(to: number): boolean {
    const bytes = this.#bytes;
    for (let at = this.at; at < to; at += 1) {
      const byte = bytes[at] ?? 0;
      if (byte < blank) return false;
      if (byte === backslash) at += 1;
      else if (byte === quote) {
        this.#isInText = false;
        this.at = at + 1;
        return true;
      }
      this.at = at + 1;
    }
    return true;
  }

  #step(byte: number): boolean {
    const at = this.at;
    this.at += 1;
    const level = this.#closers.length;
    switch (byte) {
      case quote:
        [this.#isInText, this.#textFrom] = [true, at];
        return level > 0;
      case brace.open:
        return this.#open(brace.close);
      case bracket.open:
        return this.#open(bracket.close);
      case brace.close:
      case bracket.close:
        return this.#close(byte, at);
      case colon:
        return level === 1 ? this.#nameMember(at) : level > 0;
      case comma:
        return level === 1 ? this.#keepMember(at) : level > 0;
      default:
        return plain.has(byte) && (level > 0 || byte <= blank);
    }
  }

  #open(closer: number): boolean {
    if (this.#closers.length === 0 && (closer !== brace.close || this.#isEnded)) return false;
    this.#closers.push(closer);
    this.isTooDeep = this.#closers.length > this.#levels;
    return !this.isTooDeep;
  }

  #close(byte: number, at: number): boolean {
    if (this.#closers.length === 1 && this.#name !== null && !this.#keepMember(at)) return false;
    if (this.#closers.pop() !== byte) return false;
    this.#isEnded = this.#closers.length === 0;
    return true;
  }

  #nameMember(at: number): boolean {
    const length = at - this.#textFrom;
    const name = length <= memberBytes ? parsed(this.#bytes.toString('utf8', this.#textFrom, at)) : undefined;
    if (typeof name !== 'string' || this.#name !== null) return false;
    [this.#name, this.#valueFrom] = [name, at + 1];
    return true;
  }

  #keepMember(at: number): boolean {
    if (this.#name === null) return false;
    let [from, to] = [this.#valueFrom, at];
    while (from < to && (this.#bytes[from] ?? 0) <= blank) from += 1;
    while (to > from && (this.#bytes[to - 1] ?? 0) <= blank) to -= 1;
    this.found.set(this.#name, { from, to });
    this.#name = null;
    return to > from;
  }
}

/**
 * Returns the value of a member; the path `a.b` names a member of a nested object. Undefined when the member is absent.
 */
export function memberAt(params: JsonObject, path: string): JsonValue | undefined {
  const [first, rest] = parts(path);
  const value = Object.hasOwn(params, first) ? params[first] : undefined;
  if (rest === undefined) return value;
  return isJsonObject(value) ? memberAt(value, rest) : undefined;
}

/**
 * Returns a copy of an object with a member set to `value`. Returns the same object when the member has this value
 * already.
 */
export function withMember(params: JsonObject, name: string, value: JsonValue): JsonObject {
  return params[name] === value ? params : { ...params, [name]: value };
}

/** Returns a copy of an object without a member. Returns the same object when the member is absent. */
export function withoutMember(params: JsonObject, name: string): JsonObject {
  if (!Object.hasOwn(params, name)) return params;
  const { [name]: _dropped, ...rest } = params;
  return rest;
}

function parts(path: string): [string, string | undefined] {
  const dot = path.indexOf('.');
  return dot === -1 ? [path, undefined] : [path.slice(0, dot), path.slice(dot + 1)];
}
