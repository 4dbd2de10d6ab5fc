import type { IncomingMessage } from 'node:http';

/** Names of this machine, with or without a port: chromedriver leaves the port out of its handshake. */
const HERE = /^(127(\.\d{1,3}){3}|localhost|\[::1\])(:\d{1,5})?$/i;

/**
 * Why somebody may not use the tunnel, or null. The tunnel needs no token, so a web page must not reach it: one comes with an
 * Origin, or by a name of its own that leads here (DNS rebinding). Chromium guards its DevTools port in the same way.
 */
export function checkCaller({ headers }: Pick<IncomingMessage, 'headers'>): string | null {
  if (!HERE.test(headers.host ?? '')) return 'The Host has to be an address of this machine.';
  if (headers.origin !== undefined) return 'Web pages may not use this tunnel.';
  return null;
}
