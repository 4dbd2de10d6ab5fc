import type { Cookie } from './cdp-client.ts';

/** A cookie as the words of a recorded call. */
export function cookieWords({ name, value, domain, lasts }: Cookie): string[] {
  return [name, value, domain, lasts ? 'lasts' : 'ends'];
}
