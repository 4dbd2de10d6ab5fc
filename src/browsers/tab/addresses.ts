import type { Frame } from 'playwright-core';
import { TabError } from './tab.ts';

const schemes = new Set(['http:', 'https:', 'data:']);

/**
 * Returns a URL in normalised form. Throws a {@link TabError} unless the URL is http, https, data or about:blank. Other
 * schemes open files of the machine (`file:`) or internal pages of the browser (`chrome:`).
 */
export function allowedAddress(url: string): string {
  if (!URL.canParse(url))
    throw new TabError(`${url} is not a complete address. Give one such as https://example.com/.`);
  const { href, protocol } = new URL(url);
  if (href === 'about:blank' || schemes.has(protocol)) return href;
  throw new TabError(`Addresses of the kind ${protocol} cannot be opened. Only http, https, data and about:blank can.`);
}

/**
 * Returns the URL of a frame's document. For a frame without a URL or with an `about:` URL, returns the URL of its
 * parent, because the parent writes the content of this frame.
 */
export function frameAddress(frame: Frame): string {
  const parent = frame.parentFrame();
  return parent !== null && /^about:|^$/.test(frame.url()) ? frameAddress(parent) : frame.url();
}

/**
 * Returns the part of an error message that explains a blocked navigation: the host of the URL is not an allowed
 * domain.
 */
export function notAllowed(address: string): string {
  return `it leads to ${URL.parse(address)?.host ?? address}, which is not one of the allowed domains`;
}

/** Returns the error message for a secret that may not be typed on the page with this URL. */
export function notThere(field: string, address: string): string {
  const host = URL.parse(address)?.host ?? '';
  return `Could not type into "${field}": the page is of ${host === '' ? 'no host' : host}, where the secret may not be typed.`;
}
