import type { Frame } from 'playwright-core';
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

/** The address whose document a frame is part of: one without an address of its own is written by the frame around it. */
export function frameAddress(frame: Frame): string {
  const parent = frame.parentFrame();
  return parent !== null && /^about:|^$/.test(frame.url()) ? frameAddress(parent) : frame.url();
}

/** Why a page was not shown, for the sentence of a TabError. */
export function notAllowed(address: string): string {
  return `it leads to ${URL.parse(address)?.host ?? address}, which is not one of the allowed domains`;
}

/** Why a secret was not typed, as the whole sentence of a TabError. */
export function notThere(field: string, address: string): string {
  const host = URL.parse(address)?.host ?? '';
  return `Could not type into "${field}": the page is of ${host === '' ? 'no host' : host}, where the secret may not be typed.`;
}
