import type { HttpRequest } from '#contract/http-messages.ts';

/** What `Sec-Fetch-Site` says of a request of our own page, or of an address that a person typed. Another port of the host is `same-site`. */
const ownSites = new Set<string | undefined>(['same-origin', 'none', undefined]);

/**
 * Returns whether a request comes from a page of this very service. A browser names the origin of whatever a page sends that is more than a
 * read: it has to be the public address or the one that was asked, which no page of another origin can claim. A read has no origin.
 */
export function isOwnOrigin(request: Pick<HttpRequest, 'method' | 'headers'>, publicUrl: string): boolean {
  const { origin, host } = request.headers;
  if (!ownSites.has(request.headers['sec-fetch-site'])) return false;
  if (origin === undefined) return request.method === 'GET';
  if (!URL.canParse(origin)) return false;
  return origin === originOf(publicUrl) || new URL(origin).host === host;
}

function originOf(address: string): string | null {
  return URL.canParse(address) ? new URL(address).origin : null;
}
