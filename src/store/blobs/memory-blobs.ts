import { Readable } from 'node:stream';
import { type Blobs, isBlobKey } from './blobs.ts';

/** Options of the in-memory store. */
interface SmallOptions {
  /** Store for blobs above one of the limits. */
  readonly beside: Blobs;
  /** Maximum size of one blob in memory, in bytes; `totalMax` is the maximum size of all blobs in memory. */
  readonly bytesMax: number;
  readonly totalMax: number;
  /**
   * Map that holds the blobs in memory by key. Blobs that the map contains at first do not count towards `totalMax`.
   * @defaultValue empty
   */
  readonly kept?: Map<string, Uint8Array>;
}

/**
 * Creates a blob store for a service without persistent data. It stores blobs within `bytesMax` and `totalMax` in
 * memory, which is faster than files, and all other blobs in the store `beside`.
 */
export function createMemoryBlobs({ beside, bytesMax, totalMax, kept = new Map() }: SmallOptions): Blobs {
  let total = 0;
  const isSmall = (size: number): boolean => size <= bytesMax && total + size <= totalMax;
  return {
    async get(key) {
      const own = kept.get(key);
      return own === undefined ? beside.get(key) : Buffer.from(own);
    },
    async write(key, incoming) {
      if (!isBlobKey(key) || !isSmall(incoming.size)) return beside.write(key, incoming);
      // Counted before the bytes arrive, because other blobs may be written meanwhile.
      total += incoming.size;
      try {
        const pieces: Uint8Array[] = [];
        for await (const piece of incoming.bytes) pieces.push(piece);
        kept.set(key, Buffer.concat(pieces));
      } catch (error) {
        total -= incoming.size;
        throw error;
      }
    },
    async read(key, range) {
      const own = kept.get(key);
      if (own === undefined) return beside.read(key, range);
      return Readable.from([Buffer.from(range === undefined ? own : own.subarray(range.first, range.last + 1))]);
    },
    async remove(key) {
      const own = kept.get(key);
      if (own === undefined) return beside.remove(key);
      total -= own.length;
      kept.delete(key);
    },
  };
}
