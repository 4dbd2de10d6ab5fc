import { TabError } from './tab.ts';

const SCHEMES = new Set(['http:', 'https:', 'data:']);

/**
 * The address as a URL parser writes it; throws a {@link TabError} unless it is http, https, data or about:blank.
 * Others would open the machine's files (`file:`) or the browser's own pages (`chrome:`).
 */
export function allowedAddress(url: string): string {
  if (!URL.canParse(url))
    throw new TabError(`${url} is not a complete address. Give one such as https://example.com/.`);
  const { href, protocol } = new URL(url);
  if (href === 'about:blank' || SCHEMES.has(protocol)) return href;
  throw new TabError(`Addresses of the kind ${protocol} cannot be opened. Only http, https, data and about:blank can.`);
}
