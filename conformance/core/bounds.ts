import { limits } from '#generated/rules.ts';

/**
 * Returns the value of a row of `spec/rules/limits.yaml`. Throws for an unknown name, and for a row without a number.
 */
export function suiteLimit(name: string): number {
  const row = limits.limits.find(({ limit }) => limit === name);
  if (row === undefined || !('value' in row)) throw new Error(`limits: found no number for ${name}`);
  return row.value;
}

/** Largest block of {@link BoundedBytes}, in bytes. */
const blockMax = 65_536;

/** Collects bytes up to a limit in blocks, because small chunks cost memory and a growing buffer costs copies. */
export class BoundedBytes {
  readonly #max: number;
  readonly #blocks: Buffer[] = [];
  /** Number of bytes in all blocks. */
  #length = 0;
  /** Number of bytes in the last block. */
  #used = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Appends as many of these bytes as the limit allows. Returns false if some of them did not fit. */
  add(part: Uint8Array): boolean {
    const fitting = part.subarray(0, this.#max - this.#length);
    for (let at = 0; at < fitting.length; ) {
      const block = this.#blockFor(fitting.length - at);
      const bytes = fitting.subarray(at, at + block.length - this.#used);
      block.set(bytes, this.#used);
      this.#used += bytes.length;
      at += bytes.length;
    }
    this.#length += fitting.length;
    return fitting.length === part.length;
  }

  /**
   * Returns the last block while it has room. Otherwise adds a block of `rest` bytes or twice the size of the last
   * block, whichever is larger, up to `blockMax` bytes.
   */
  #blockFor(rest: number): Buffer {
    const last = this.#blocks.at(-1);
    if (last !== undefined && this.#used < last.length) return last;
    const block = Buffer.allocUnsafe(Math.min(Math.max(rest, 2 * (last?.length ?? 0)), blockMax));
    this.#blocks.push(block);
    this.#used = 0;
    return block;
  }

  /**
   * Returns the first `most` bytes, by default all collected bytes. Bytes that are all in the first block are not
   * copied.
   */
  bytes(most = this.#length): Buffer {
    const length = Math.min(most, this.#length);
    const [first] = this.#blocks;
    if (first === undefined || length <= first.length) return (first ?? Buffer.alloc(0)).subarray(0, length);
    return Buffer.concat(this.#blocks, length);
  }
}

/** Size of a JSON text. */
export interface JsonSize {
  /** Nesting depth of objects and arrays. */
  depth: number;
  /**
   * Number of values, estimated from opening brackets and commas: one too many for each empty object or array, and 1
   * for a text that is neither an object nor an array.
   */
  values: number;
}

/** Measures size and depth of a JSON text in linear time, without parsing it. Stops at the first exceeded bound. */
export function measureJson(text: string, bounds: JsonSize): JsonSize {
  if (!/^\s*[[{]/.test(text)) return { depth: 0, values: 1 };
  let [depth, deepest, values, inText] = [0, 0, 1, false];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (inText) {
      if (code === backslash) at += 1;
      else if (code === quote) inText = false;
    } else if (code === quote) inText = true;
    else {
      const nesting = getNestingStep(code);
      depth += nesting;
      deepest = Math.max(deepest, depth);
      if (nesting > 0 || code === comma) values += 1;
      if (deepest > bounds.depth || values > bounds.values) break;
    }
  }
  return { depth: deepest, values };
}

/**
 * Returns 1 for a character that opens an object or array, -1 for a character that closes an object or array, 0 for any
 * other character.
 */
function getNestingStep(code: number): -1 | 0 | 1 {
  if (code === openBracket || code === openBrace) return 1;
  return code === closeBracket || code === closeBrace ? -1 : 0;
}

const [quote, comma, backslash] = [0x22, 0x2c, 0x5c];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];
