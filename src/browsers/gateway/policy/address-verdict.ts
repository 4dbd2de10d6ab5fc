import type { RuleBook } from '#contract/rule-book.ts';

/** Whether an address may be opened; `address` is the text that the browser gets. */
export type AddressVerdict =
  | { readonly kind: 'open'; readonly address: string }
  | { readonly kind: 'closed' }
  | { readonly kind: 'invalid' };

/**
 * Judges an address by its scheme. The browser gets it as our parser writes it, so that no two parsers can read one text
 * differently. An empty address means about:blank where it means anything, and passes. Never throws.
 */
export function addressVerdict(given: unknown, { schemes, exact }: RuleBook['cdpPolicy']['addresses']): AddressVerdict {
  if (typeof given !== 'string') return { kind: 'closed' };
  if (given === '') return { kind: 'open', address: given };
  const url = URL.parse(given);
  if (url === null) return { kind: 'invalid' };
  const [plain = ''] = url.href.split(/[?#]/, 1);
  const isOpen = schemes.includes(url.protocol.slice(0, -1)) || exact.includes(plain);
  return isOpen ? { kind: 'open', address: url.href } : { kind: 'closed' };
}
