import { createHash } from 'node:crypto';

/** Numbers from 0 to 1, 1 excluded, that a text decides: the same text gives the same row. */
export function drawnFrom(text: string): () => number {
  let drawn = 0;
  return () => {
    const digest = createHash('sha256').update(`${drawn} ${text}`).digest();
    drawn += 1;
    return digest.readUInt32BE(0) / 2 ** 32;
  };
}
