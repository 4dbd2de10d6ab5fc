import type { SpanFacts, Tracer } from '#lib/tracer.ts';
import type { BrowserHost, LaunchOptions } from '#browsers/host.ts';
import { HostBusy } from '#browsers/index.ts';

/** The host, with its starts drawn, the wait for their turn included. */
export function tracedHost(host: BrowserHost, tracer: Tracer): BrowserHost {
  return {
    ...host,
    launch: (wanted) =>
      tracer.span({ name: 'start browser', facts: factsOf(wanted) }, async (tell) => {
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

/** The name of a browser is that of its session; one that clients drive has a name of its own. */
function factsOf({ sessionId, use = 'session' }: LaunchOptions): SpanFacts {
  return { 'svc.browser.use': use, ...(use === 'session' ? { 'svc.session.id': sessionId } : {}) };
}
