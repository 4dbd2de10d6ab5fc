import { createHash, randomBytes } from 'node:crypto';
import { stripEnd } from '#lib/trim-end.ts';
import type { HttpRequest } from '#contract/http-messages.ts';

const secretBytes = 32;

/** Returns a new secret of 256 random bits in base64url, for a cookie, header or link. */
export function newSecret(): string {
  return randomBytes(secretBytes).toString('base64url');
}

/** Returns the stored hash of a secret: its SHA-256 in hexadecimal. */
export function secretHash(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/**
 * Returns the URL of a one-time link. The secret is in the fragment, which browsers do not send and logs do not
 * contain.
 */
export function linkAddress(base: string, secret: string): string {
  return `${stripEnd(base, /\//)}/#login=${secret}`;
}

/** Matches the alphabet of {@link newSecret}. */
const valuePattern = /^[A-Za-z0-9_-]{1,100}$/;

/**
 * Returns the values of the console's cookie in a request, in header order. There may be several values: browsers send
 * the cookies of a host to all its ports, and another service on the host may have set a cookie with the same name.
 */
export function consoleCookies({ headers }: Pick<HttpRequest, 'headers'>, publicUrl: string): readonly string[] {
  const start = `${cookieName(publicUrl)}=`;
  const pairs = (headers['cookie'] ?? '').split(';').map((pair) => pair.trim());
  return pairs.filter((pair) => pair.startsWith(start)).map((pair) => pair.slice(start.length));
}

/** Returns the value of the console's cookie; null without one, with several, and for a malformed value. */
export function consoleCookie(request: Pick<HttpRequest, 'headers'>, publicUrl: string): string | null {
  const [value = '', ...others] = consoleCookies(request, publicUrl);
  return others.length === 0 && valuePattern.test(value) ? value : null;
}

/**
 * Returns the Set-Cookie header for a lifetime in milliseconds; 0 removes the cookie. Scripts cannot read the cookie,
 * and other sites do not send it.
 */
export function cookieHeader(value: string, lifeMs: number, publicUrl: string): string {
  const secure = isHttps(publicUrl) ? '; Secure' : '';
  return `${cookieName(publicUrl)}=${value}; Max-Age=${Math.floor(lifeMs / 1000)}; Path=/; HttpOnly; SameSite=Strict${secure}`;
}

/**
 * Returns the cookie name. It contains the port, because all ports of a host share cookies. With TLS it has the prefix
 * `__Host-`, so that no other host can set the cookie.
 */
function cookieName(publicUrl: string): string {
  return `${isHttps(publicUrl) ? '__Host-' : ''}svc_console_${readPort(publicUrl)}`;
}

function isHttps(publicUrl: string): boolean {
  return publicUrl.startsWith('https:');
}

function readPort(publicUrl: string): string {
  const port = URL.canParse(publicUrl) ? new URL(publicUrl).port : '';
  if (port !== '') return port;
  return isHttps(publicUrl) ? '443' : '80';
}
