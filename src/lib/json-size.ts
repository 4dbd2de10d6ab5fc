/** Limits of the structure of a JSON text. A text that equals a limit is accepted. */
export interface JsonBounds {
  /** Maximum nesting depth of objects and arrays. */
  readonly depth: number;
  /** Maximum number of values, including the outermost value. Member names do not count. */
  readonly values: number;
}

const quote = 0x22;

const comma = 0x2c;

const backslash = 0x5c;

const [openBracket, closeBracket] = [0x5b, 0x5d];

const [openBrace, closeBrace] = [0x7b, 0x7d];

/** Largest character code of JSON whitespace. */
const blank = 0x20;

/**
 * Counter of the nesting depth and the values of a JSON text in UTF-8. It rejects a text above its limits before the
 * text is parsed, which would take time and memory. It reads the text in chunks, needs constant memory, and stops at
 * the first exceeded limit. It does not validate the text.
 */
export class JsonCounter {
  readonly #bounds: JsonBounds;
  #depth = 0;
  #values = 1;
  #isInText = false;
  #isEscaped = false;
  /**
   * Whether the last token opened an object or array. The next token then begins the first value inside, which must be
   * counted, unless it closes the object or array.
   */
  #isOpened = false;

  constructor(bounds: JsonBounds) {
    this.#bounds = bounds;
  }

  /** Reads the next chunk of the text. Returns false as soon as a limit is exceeded. */
  isWithin(bytes: Uint8Array): boolean {
    let at = this.#isInText ? this.#skipText(bytes, 0) : 0;
    while (at < bytes.length) {
      const byte = bytes[at] ?? 0;
      at += 1;
      if (byte <= blank) continue;
      if (!this.#count(byte)) return false;
      if (byte === quote) at = this.#skipText(bytes, at);
    }
    return true;
  }

  #count(byte: number): boolean {
    const isClosing = byte === closeBracket || byte === closeBrace;
    if (byte === comma || (this.#isOpened && !isClosing)) this.#values += 1;
    this.#isOpened = byte === openBracket || byte === openBrace;
    if (this.#isOpened) this.#depth += 1;
    else if (isClosing) this.#depth -= 1;
    return this.#depth <= this.#bounds.depth && this.#values <= this.#bounds.values;
  }

  /**
   * Skips a string literal from an index inside the literal. Returns the index after the literal, or the length of the
   * chunk if the literal continues in the next chunk.
   */
  #skipText(bytes: Uint8Array, from: number): number {
    let at = this.#isEscaped ? from + 1 : from;
    this.#isEscaped = false;
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (byte === backslash) at += 1;
      else if (byte === quote) {
        this.#isInText = false;
        return at + 1;
      }
    }
    this.#isInText = true;
    this.#isEscaped = at > bytes.length;
    return bytes.length;
  }
}

/** Returns whether a complete JSON text is within the bounds. */
export function isWithin(bytes: Uint8Array, bounds: JsonBounds): boolean {
  return new JsonCounter(bounds).isWithin(bytes);
}
