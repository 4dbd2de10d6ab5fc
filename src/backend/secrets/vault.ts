import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** Seals texts for the time that they lie in the database. */
export interface Vault {
  /** The sealed text; it opens only under the same owner. */
  seal(text: string, owner: string): string;
  /** The text that was sealed for that owner. Throws when it was sealed with another key or for another owner, or was changed. */
  open(sealed: string, owner: string): string;
}

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** Seals with AES-256-GCM under a key that is derived from a secret of at least 32 bytes. */
export function createVault(secret: Uint8Array): Vault {
  const key = Buffer.from(hkdfSync('sha256', secret, new Uint8Array(), 'svc vault 1', keyBytes));
  return {
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
