import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const secretBytes = 32;

/** A new secret of 256 random bits, as it stands in a cookie or a link. */
export function newSecret(): string {
  return randomBytes(secretBytes).toString('base64url');
}

/** What is kept of a secret: its SHA-256 in hexadecimal. */
export function secretHash(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** The token that goes with the cookie of a login in a header: only who can read our answers knows it, and nothing more is kept for it. */
export function csrfOf(cookie: string): string {
  return createHmac('sha256', cookie).update('console').digest('base64url');
}

/** Whether a given token is the one of a cookie; how long that takes tells nothing of it. */
export function isCsrfOf(cookie: string, given: string): boolean {
  const [wanted, found] = [Buffer.from(csrfOf(cookie)), Buffer.from(given)];
  return wanted.length === found.length && timingSafeEqual(wanted, found);
}
