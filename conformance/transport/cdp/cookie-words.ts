import type { Cookie } from '../../core/cdp.ts';

/** A cookie as the words of a recorded call. */
export function cookieWords({ name, value, domain, lasts }: Cookie): string[] {
  return [name, value, domain, lasts ? 'lasts' : 'ends'];
}
