import { useEffect, useState } from 'preact/hooks';
import type { LogKept, LoggedCall } from '#contract/log-messages.ts';

/** State of the page. */
export interface Calls {
  /** Calls, the newest first. */
  readonly calls: readonly LoggedCall[];
  readonly isConnected: boolean;
}

/** Reads the calls of the mock from its event stream. */
export function useCalls(): Calls {
  const [calls, setCalls] = useState<readonly LoggedCall[]>([]);
  const [isConnected, setConnected] = useState(false);
  useEffect(() => {
    const stream = new EventSource(new URL('log/events', document.baseURI));
    stream.addEventListener('open', () => setConnected(true));
    // The browser reconnects by itself.
    stream.addEventListener('error', () => setConnected(false));
    stream.addEventListener('call', ({ data }) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the edge where a message of the mock becomes its type
      const call = JSON.parse(String(data)) as LoggedCall;
      setCalls((known) => [call, ...known.filter(({ id }) => id !== call.id)]);
    });
    stream.addEventListener('kept', ({ data }) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same edge
      const { first } = JSON.parse(String(data)) as LogKept;
      setCalls((known) => known.filter(({ id }) => id >= first));
    });
    return () => stream.close();
  }, []);
  return { calls, isConnected };
}
