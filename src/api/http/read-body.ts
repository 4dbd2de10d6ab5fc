import type { Readable } from 'node:stream';
import { ClientGone } from './client-gone.ts';
import { tooLarge } from '#contract/wire.ts';

/**
 * The bytes of a body of at most `limit` bytes. What comes after the limit is thrown away and not cut off, so that a client
 * that is still sending can read the refusal.
 */
export function readBody(stream: Readable | undefined, limit: number): Promise<Uint8Array | typeof tooLarge> {
  if (stream === undefined) return Promise.resolve(new Uint8Array());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    stream.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= limit) chunks.push(chunk);
      else chunks.length = 0;
    });
    stream.on('end', () => resolve(length > limit ? tooLarge : Buffer.concat(chunks)));
    stream.on('error', reject);
    stream.on('close', () => {
      // Of every body that came to its end as well; an error is made only where somebody went away.
      if (!stream.readableEnded) reject(new ClientGone());
    });
  });
}
