import type { ConnectOverCDPTransport } from 'playwright-core';
import { isJsonObject } from '#lib/json.ts';
import type { CdpMux } from './cdp-mux.ts';

/** What a page may say as often as it likes, and no part of the service asks Playwright for. */
const UNHEARD: ReadonlySet<string> = new Set([
  'Log.entryAdded',
  'Network.dataReceived',
  'Network.eventSourceMessageReceived',
  'Network.webSocketFrameReceived',
  'Network.webSocketFrameSent',
  'Runtime.consoleAPICalled',
  'Runtime.exceptionThrown',
]);
/** Chromium keeps the console arguments of a page until they are released. */
const CONSOLE = 'Runtime.consoleAPICalled';
const CONSOLE_CALLS_KEPT = 200;

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
  let calls = 0;
  const client = await mux.attach({
    // The answer to the service's own command has no id, and is nothing for Playwright.
    message: (message) => {
      if (message.id !== undefined || message.method !== undefined) inOwnTask(() => transport.onmessage?.(message));
    },
    drops(method, sessionId) {
      if (method === CONSOLE && (calls += 1) % CONSOLE_CALLS_KEPT === 0)
        client.send({ method: 'Runtime.releaseObjectGroup', params: { objectGroup: 'console' }, sessionId });
      return UNHEARD.has(method);
    },
    closed: (reason) => inOwnTask(() => transport.onclose?.(reason)),
  });
  return transport;
}

/** Runs pieces of work in order, each in an event-loop task of its own, so that promises settle between two of them. */
export function createTaskQueue(): (work: () => void) => void {
  // A linked list: the beginning of a long array takes time to remove.
  let first: Waiting | null = null;
  let last: Waiting | null = null;
  const runNext = (): void => {
    const work = first?.work;
    first = first?.next ?? null;
    // Scheduled first, so that work that throws does not stop what comes after it.
    if (first !== null) setImmediate(runNext);
    work?.();
  };
  return (work) => {
    const waiting: Waiting = { work, next: null };
    if (first === null) {
      first = waiting;
      setImmediate(runNext);
    } else if (last !== null) last.next = waiting;
    last = waiting;
  };
}

interface Waiting {
  readonly work: () => void;
  next: Waiting | null;
}
