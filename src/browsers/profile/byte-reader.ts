/** Reads a stream of pieces by numbers of bytes. */
export interface ByteReader {
  /** The next bytes, exactly so many; throws an Error when the stream ends before. */
  take(count: number): Promise<Buffer>;
  /** The next bytes as they come; to be read to the end before anything else. */
  pieces(count: number): AsyncGenerator<Uint8Array>;
  /** Reads what is left and forgets it. */
  drain(): Promise<void>;
}

/** A reader over a stream, of which it holds one piece at a time. */
export function createByteReader(source: AsyncIterable<Uint8Array>): ByteReader {
  const pieces = source[Symbol.asyncIterator]();
  let held: Uint8Array = new Uint8Array();

  /** Up to `count` bytes of the held piece, or of the next one; null at the end of the stream. */
  const next = async (count: number): Promise<Uint8Array | null> => {
    while (held.length === 0) {
      const { done, value } = await pieces.next();
      if (done === true) return null;
      held = value;
    }
    const piece = held.subarray(0, count);
    held = held.subarray(count);
    return piece;
  };
  async function* exactly(count: number): AsyncGenerator<Uint8Array> {
    for (let left = count; left > 0; ) {
      const piece = await next(left);
      if (piece === null) throw new Error(`The archive ends ${left} bytes too early.`);
      left -= piece.length;
      yield piece;
    }
  }
  return {
    async take(count) {
      const taken: Uint8Array[] = [];
      for await (const piece of exactly(count)) taken.push(piece);
      return Buffer.concat(taken);
    },
    pieces: exactly,
    async drain() {
      while ((await next(Number.MAX_SAFE_INTEGER)) !== null);
    },
  };
}
