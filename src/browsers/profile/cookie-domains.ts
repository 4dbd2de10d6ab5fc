import type { JsonObject } from '#lib/json.ts';

/** The hosts that cookies belong to, without the dot of those that hosts below share; each once, in order. */
export function cookieDomains(cookies: readonly JsonObject[]): string[] {
  const domains = cookies.flatMap(({ domain }) => (typeof domain === 'string' ? [domain.replace(/^\./, '')] : []));
  return [...new Set(domains)].toSorted();
}
