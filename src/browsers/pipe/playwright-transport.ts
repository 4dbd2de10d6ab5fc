import type { ConnectOverCDPTransport } from 'playwright-core';
import { isJsonObject } from '#lib/json.ts';
import type { CdpMux } from './cdp-mux.ts';
import { createTaskQueue } from './task-queue.ts';

/**
 * A transport for Playwright's `connectOverCDP` over a client of its own; closing it detaches and ends no browser. Each
 * message is delivered in a task of its own: one read from the pipe can hold many, and Playwright relies on its promises
 * being settled between two messages, as they are on a websocket (else it loses new tabs on a busy machine).
 */
export async function createPlaywrightTransport(
  mux: CdpMux,
  onDetachError: (error: unknown) => void,
): Promise<ConnectOverCDPTransport> {
  const inOwnTask = createTaskQueue();
  const transport: ConnectOverCDPTransport = {
    send: (message) => {
      if (isJsonObject(message)) client.send(message);
    },
    close: () => {
      client.close().then(() => transport.onclose?.(), onDetachError);
    },
  };
  const client = await mux.attach({
    message: (message) => inOwnTask(() => transport.onmessage?.(message)),
    closed: (reason) => inOwnTask(() => transport.onclose?.(reason)),
  });
  return transport;
}
