import type { BrowserHost } from '#browsers/host.ts';
import { type Clock, waitBy } from '#lib/clock.ts';

/** A host whose browsers take their time to start, by the clock. */
export function pacedHost(host: BrowserHost, clock: Clock, startMs: number): BrowserHost {
  const closing = new AbortController();
  return {
    ...host,
    async launch(wanted) {
      const { signal = closing.signal } = wanted;
      await waitBy(clock, startMs, AbortSignal.any([signal, closing.signal]));
      return host.launch(wanted);
    },
    async close() {
      closing.abort(new Error('This browser host is closed.'));
      await host.close();
    },
  };
}
