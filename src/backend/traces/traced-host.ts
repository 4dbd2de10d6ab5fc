import type { Tracer } from '#http/tracer.ts';
import type { BrowserHost } from '../browsers/host.ts';
import { HostBusy } from '../browsers/index.ts';

/** The host, with its starts drawn, the wait for their turn included. */
export function tracedHost(host: BrowserHost, tracer: Tracer): BrowserHost {
  return {
    ...host,
    launch: (wanted) =>
      tracer.span({ name: 'start browser', facts: { 'svc.browser.owner': wanted.sessionId } }, async (tell) => {
        try {
          const browser = await host.launch(wanted);
          tell({ 'svc.browser.start': 'started' });
          return browser;
        } catch (error) {
          tell({ 'svc.browser.start': error instanceof HostBusy ? 'busy' : 'failed' });
          throw error;
        }
      }),
  };
}
