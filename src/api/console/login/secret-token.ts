import { createHash, randomBytes } from 'node:crypto';

const secretBytes = 32;

/** Returns a new secret of 256 random bits, as it stands in a cookie, a header or a link. */
export function newSecret(): string {
  return randomBytes(secretBytes).toString('base64url');
}

/** Returns what is kept of a secret: its SHA-256 in hexadecimal. */
export function secretHash(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
