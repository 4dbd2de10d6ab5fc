import { Readable } from 'node:stream';
import { type Blobs, isBlobKey } from './blobs.ts';

/** What is kept in memory. */
interface SmallOptions {
  /** Where everything else goes. */
  readonly beside: Blobs;
  /** The largest bytes that are kept in memory, and what all of them together may be. */
  readonly bytesMax: number;
  readonly totalMax: number;
  /** What is there, by key. @defaultValue nothing yet */
  readonly kept?: Map<string, Uint8Array>;
}

/**
 * Keeps small bytes in memory and others in a store beside, for a service that forgets everything when it ends: a file of a picture costs several times
 * what the rest of a step does.
 */
export function smallInMemory({ beside, bytesMax, totalMax, kept = new Map() }: SmallOptions): Blobs {
  let total = 0;
  const isSmall = (size: number): boolean => size <= bytesMax && total + size <= totalMax;
  const keep = (key: string, bytes: Uint8Array): void => {
    total += bytes.length;
    kept.set(key, bytes);
  };
  return {
    async get(key) {
      const own = kept.get(key);
      return own === undefined ? beside.get(key) : Buffer.from(own);
    },
    async write(key, incoming) {
      if (!isBlobKey(key) || !isSmall(incoming.size)) return beside.write(key, incoming);
      const pieces: Uint8Array[] = [];
      for await (const piece of incoming.bytes) pieces.push(piece);
      keep(key, Buffer.concat(pieces));
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
