import { createHash, randomBytes } from 'node:crypto';
import { stripEnd } from '#lib/trim-end.ts';
import type { HttpRequest } from '#contract/http-messages.ts';

const secretBytes = 32;

/** Returns a new secret of 256 random bits, as it stands in a cookie, a header or a link. */
export function newSecret(): string {
  return randomBytes(secretBytes).toString('base64url');
}

/** Returns what is kept of a secret: its SHA-256 in hexadecimal. */
export function secretHash(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** The address of a one-time link. The secret stands behind the hash, which no browser sends and no log shows. */
export function linkAddress(base: string, secret: string): string {
  return `${stripEnd(base, /\//)}/#login=${secret}`;
}

/** A value of {@link newSecret}, or anything else of its alphabet. */
const valuePattern = /^[A-Za-z0-9_-]{1,100}$/;

/**
 * Returns the values of the console's cookie in a request, in the order of its header. Browsers send the cookies of a host to all of its ports, so
 * that a second one of the same name was set by another service of the host.
 */
export function consoleCookies({ headers }: Pick<HttpRequest, 'headers'>, publicUrl: string): readonly string[] {
  const start = `${cookieName(publicUrl)}=`;
  const pairs = (headers['cookie'] ?? '').split(';').map((pair) => pair.trim());
  return pairs.filter((pair) => pair.startsWith(start)).map((pair) => pair.slice(start.length));
}

/** Returns the value of the console's cookie; null without one, with several, and for a value that the service never sets. */
export function consoleCookie(request: Pick<HttpRequest, 'headers'>, publicUrl: string): string | null {
  const [value = '', ...others] = consoleCookies(request, publicUrl);
  return others.length === 0 && valuePattern.test(value) ? value : null;
}

/** Returns the header that sets the cookie for a time in milliseconds; 0 removes it. No script reads it, and no other site sends it. */
export function cookieHeader(value: string, lifeMs: number, publicUrl: string): string {
  const secure = isHttps(publicUrl) ? '; Secure' : '';
  return `${cookieName(publicUrl)}=${value}; Max-Age=${Math.floor(lifeMs / 1000)}; Path=/; HttpOnly; SameSite=Strict${secure}`;
}

/** Names the cookie after the port, because cookies do not keep ports apart. With TLS only the host itself can set it (`__Host-`). */
function cookieName(publicUrl: string): string {
  return `${isHttps(publicUrl) ? '__Host-' : ''}svc_console_${portOf(publicUrl)}`;
}

function isHttps(publicUrl: string): boolean {
  return publicUrl.startsWith('https:');
}

function portOf(publicUrl: string): string {
  const port = URL.canParse(publicUrl) ? new URL(publicUrl).port : '';
  return port === '' ? (isHttps(publicUrl) ? '443' : '80') : port;
}
