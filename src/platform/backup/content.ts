import { createHash } from 'node:crypto';

/** What a file holds. */
export interface Content {
  /** Bytes. */
  readonly size: number;
  /** SHA-256 in hexadecimal digits. */
  readonly sha256: string;
}

/** Bytes that are counted as they pass. */
export interface Counter {
  /** Passes bytes on. */
  pass(pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  /** What has passed; to be asked once. */
  content(): Content;
}

/** A counter that nothing has passed yet. */
export function createCounter(): Counter {
  const hash = createHash('sha256');
  let size = 0;
  return {
    async *pass(pieces) {
      for await (const piece of pieces) {
        hash.update(piece);
        size += piece.length;
        yield piece;
      }
    },
    content: () => ({ size, sha256: hash.digest('hex') }),
  };
}
