import type { ConnectOverCDPTransport } from 'playwright-core';
import { isJsonObject } from '#domain/json.ts';
import type { CdpMux } from './cdp-mux.ts';

/** A transport for Playwright's `connectOverCDP` over a client of its own; closing it detaches and ends no browser. */
export async function createPlaywrightTransport(
  mux: CdpMux,
  onDetachError: (error: unknown) => void,
): Promise<ConnectOverCDPTransport> {
  const transport: ConnectOverCDPTransport = {
    send: (message) => {
      if (isJsonObject(message)) client.send(message);
    },
    close: () => {
      client.close().then(() => transport.onclose?.(), onDetachError);
    },
  };
  const client = await mux.attach({
    message: (message) => transport.onmessage?.(message),
    closed: (reason) => transport.onclose?.(reason),
  });
  return transport;
}
