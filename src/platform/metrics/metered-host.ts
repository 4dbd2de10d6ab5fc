import type { BrowserHost, HostedBrowser, LaunchOptions } from '#browsers/host.ts';
import { HostBusy } from '#browsers/index.ts';
import { meteredEncoders } from './metered-encoders.ts';
import type { MeterMaker } from './meters.ts';

type Use = NonNullable<LaunchOptions['use']>;

/** The host, with its starts and ends counted, and what runs by what it is for. */
export function meteredHost(host: BrowserHost, make: MeterMaker): BrowserHost {
  const starts = make.counter('svc_browser_starts_total', ['outcome']);
  const durations = make.histogram('svc_browser_start_duration_seconds', []);
  const ends = make.counter('svc_browser_ends_total', ['outcome']);
  const running: Record<Use, number> = { session: 0, browser: 0 };
  make.gauge('svc_browsers', ['state', 'use'], (gauge) => {
    const { waiting, ready } = host.figures();
    gauge.set({ state: 'waiting' }, waiting);
    gauge.set({ state: 'ready' }, ready);
    for (const [use, count] of Object.entries(running)) gauge.set({ state: 'running', use }, count);
  });
  const follow = async ({ ended }: HostedBrowser, use: Use): Promise<void> => {
    running[use] += 1;
    const { expected } = await ended;
    running[use] -= 1;
    ends.inc({ outcome: expected ? 'stopped' : 'crashed' });
  };
  return {
    ...meteredEncoders(host, make),
    async launch(wanted) {
      const seconds = durations.startTimer();
      try {
        const browser = await host.launch(wanted);
        starts.inc({ outcome: 'started' });
        seconds();
        void follow(browser, wanted.use ?? 'session');
        return browser;
      } catch (error) {
        starts.inc({ outcome: error instanceof HostBusy ? 'busy' : 'failed' });
        throw error;
      }
    },
  };
}
