import { type DecipherGCM, type KeyObject, createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** How many bytes a sealed stream has more than what was sealed. */
export const sealedStreamExtra = nonceBytes + tagBytes;

/** A key of 32 bytes, and whose bytes they are: they open only under the same owner. */
export interface StreamSeal {
  readonly key: KeyObject;
  readonly owner: string;
}

/** Seals bytes as they come with AES-256-GCM: a nonce, as many bytes as there were, and a tag over all of them. */
export async function* sealStream(
  source: AsyncIterable<Uint8Array>,
  { key, owner }: StreamSeal,
): AsyncGenerator<Uint8Array> {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes }).setAAD(Buffer.from(owner));
  yield nonce;
  for await (const piece of source) yield cipher.update(piece);
  cipher.final();
  yield cipher.getAuthTag();
}

/**
 * Opens what `sealStream` sealed. The tag comes last, so whoever reads must not use anything before the end has come: throws there
 * when it was sealed with another key or for another owner, was changed or cut off.
 */
export async function* openStream(
  source: AsyncIterable<Uint8Array>,
  { key, owner }: StreamSeal,
): AsyncGenerator<Uint8Array> {
  let held = Buffer.alloc(0);
  let decipher: DecipherGCM | null = null;
  for await (const piece of source) {
    held = Buffer.concat([held, piece]);
    if (decipher === null && held.length >= nonceBytes) {
      const options = { authTagLength: tagBytes };
      decipher = createDecipheriv(algorithm, key, held.subarray(0, nonceBytes), options).setAAD(Buffer.from(owner));
      held = held.subarray(nonceBytes);
    }
    // The last bytes are the tag, and only the end tells which are the last.
    const ready = held.length - tagBytes;
    if (decipher === null || ready <= 0) continue;
    yield decipher.update(held.subarray(0, ready));
    held = held.subarray(ready);
  }
  if (decipher === null || held.length < tagBytes) throw new Error('The sealed bytes are cut off.');
  decipher.setAuthTag(held).final();
}
