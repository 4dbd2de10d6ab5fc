import type { ConnectOverCDPTransport } from 'playwright-core';
import { isJsonObject } from '#lib/json.ts';
import type { CdpMux } from './cdp-mux.ts';

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

/** Runs pieces of work in order, each in an event-loop task of its own, so that promises settle between two of them. */
export function createTaskQueue(): (work: () => void) => void {
  const waiting: (() => void)[] = [];
  const runNext = (): void => {
    const work = waiting.shift();
    // Scheduled first, so that work that throws does not stop what comes after it.
    if (waiting.length > 0) setImmediate(runNext);
    work?.();
  };
  return (work) => {
    waiting.push(work);
    if (waiting.length === 1) setImmediate(runNext);
  };
}
