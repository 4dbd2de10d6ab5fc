import type { WireRequest } from '#http/wire.ts';

const name = 'svc_console';

/** The value of the console's cookie, which is of the alphabet of base64url; null without one. The first of several counts. */
export function cookieOf({ headers }: Pick<WireRequest, 'headers'>): string | null {
  const pairs = (headers['cookie'] ?? '').split(';').map((pair) => pair.trim());
  const value = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
  return /^[A-Za-z0-9_-]{1,100}$/.test(value) ? value : null;
}

/** The header that sets the cookie for a time in milliseconds; 0 takes it away. No script reads it, and no other site sends it. */
export function cookieHeader(value: string, lifeMs: number, publicUrl: string): string {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : '';
  return `${name}=${value}; Max-Age=${Math.floor(lifeMs / 1000)}; Path=/; HttpOnly; SameSite=Strict${secure}`;
}
