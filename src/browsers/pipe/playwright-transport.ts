import type { ConnectOverCDPTransport } from 'playwright-core';
import { isJsonObject } from '#lib/json.ts';
import type { CdpMux } from './cdp-mux.ts';

/**
 * Events that the transport hides from Playwright. A page can emit them without limit, and the service does not use
 * them.
 */
const unheard: ReadonlySet<string> = new Set([
  'Log.entryAdded',
  'Network.dataReceived',
  'Network.eventSourceMessageReceived',
  'Network.webSocketFrameReceived',
  'Network.webSocketFrameSent',
  'Runtime.consoleAPICalled',
  'Runtime.exceptionThrown',
]);
/**
 * Name of the event for a console call. Chromium keeps the arguments of a call until a client releases them. The
 * transport releases them after every `consoleCallsKept` events.
 */
const console = 'Runtime.consoleAPICalled';
const consoleCallsKept = 200;

/**
 * Creates a transport for Playwright's `connectOverCDP` over a DevTools client of its own. Closing the transport
 * detaches this client and does not end the browser. Each message is delivered in its own event-loop task, as by a
 * websocket. Otherwise promises would not settle between two messages, and Playwright would miss new tabs under load.
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
  // Sessions with console events since the last release.
  const consoles = new Set<string>();
  const client = await mux.attach({
    // The reply to the transport's own command has no id and is not for Playwright.
    message: (message) => {
      if (message.id !== undefined || message.method !== undefined) inOwnTask(() => transport.onmessage?.(message));
    },
    drops(method, sessionId) {
      if (method !== console) return unheard.has(method);
      consoles.add(sessionId);
      calls += 1;
      if (calls % consoleCallsKept === 0) {
        const params = { objectGroup: 'console' };
        for (const target of consoles) client.send({ method: 'Runtime.releaseObjectGroup', params, sessionId: target });
        consoles.clear();
      }
      return true;
    },
    closed: (reason) => inOwnTask(() => transport.onclose?.(reason)),
  });
  return transport;
}

/**
 * Returns a function that queues work. Each queued function runs in order and in an event-loop task of its own, so that
 * promises settle between two functions.
 */
export function createTaskQueue(): (work: () => void) => void {
  // A linked list, because removing the first element of a long array is slow.
  let first: Waiting | null = null;
  let last: Waiting | null = null;
  const runNext = (): void => {
    const work = first?.work;
    first = first?.next ?? null;
    // Scheduled first, so that an exception does not stop later work.
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
