import { type KeyObject, createCipheriv, createDecipheriv, createSecretKey, hkdfSync, randomBytes } from 'node:crypto';
import { openStream, sealStream } from './sealed-stream.ts';

/** Seals texts for the time that they lie in the database, and bytes for the time that they lie in a store. */
export interface Vault {
  /** The sealed text; it opens only under the same owner. */
  seal(text: string, owner: string): string;
  /** The text that was sealed for that owner. Throws when it was sealed with another key or for another owner, or was changed. */
  open(sealed: string, owner: string): string;
  /** The same for bytes as they come: `sealedStreamExtra` more than there were. */
  sealBytes(bytes: AsyncIterable<Uint8Array>, owner: string): AsyncIterable<Uint8Array>;
  /** The bytes that were sealed for that owner; whether they are is known only at their end, where it throws. */
  openBytes(sealed: AsyncIterable<Uint8Array>, owner: string): AsyncIterable<Uint8Array>;
}

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** Seals with AES-256-GCM under a key that is derived from a secret of at least 32 bytes. */
export function createVault(secret: Uint8Array): Vault {
  // A KeyObject: with bytes each seal takes ten times as long.
  const derive = (use: string): KeyObject =>
    createSecretKey(Buffer.from(hkdfSync('sha256', secret, new Uint8Array(), use, keyBytes)));
  const [key, streamKey] = [derive('svc vault 1'), derive('svc vault streams 1')];
  return {
    sealBytes: (bytes, owner) => sealStream(bytes, { key: streamKey, owner }),
    openBytes: (sealed, owner) => openStream(sealed, { key: streamKey, owner }),
    seal(text, owner) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes }).setAAD(Buffer.from(owner));
      const bytes = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), bytes]).toString('base64url');
    },
    open(sealed, owner) {
      const all = Buffer.from(sealed, 'base64url');
      const nonce = all.subarray(0, nonceBytes);
      const tag = all.subarray(nonceBytes, nonceBytes + tagBytes);
      const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
      decipher.setAAD(Buffer.from(owner)).setAuthTag(tag);
      const bytes = all.subarray(nonceBytes + tagBytes);
      return Buffer.concat([decipher.update(bytes), decipher.final()]).toString('utf8');
    },
  };
}
