import type { BrowserHost } from '../browsers/host.ts';
import { HostBusy } from '../browsers/index.ts';
import type { MeterMaker } from './meters.ts';

/** The host, with its starts and ends counted. */
export function meteredHost(host: BrowserHost, make: MeterMaker): BrowserHost {
  const starts = make.counter('svc_browser_starts_total', ['outcome']);
  const durations = make.histogram('svc_browser_start_duration_seconds', []);
  const ends = make.counter('svc_browser_ends_total', ['outcome']);
  make.gauge('svc_browsers', ['state'], (gauge) => {
    for (const [state, count] of Object.entries(host.figures())) gauge.set({ state }, count);
  });
  return {
    ...host,
    async launch(wanted) {
      const seconds = durations.startTimer();
      try {
        const browser = await host.launch(wanted);
        starts.inc({ outcome: 'started' });
        seconds();
        void browser.ended.then(({ expected }) => ends.inc({ outcome: expected ? 'stopped' : 'crashed' }));
        return browser;
      } catch (error) {
        starts.inc({ outcome: error instanceof HostBusy ? 'busy' : 'failed' });
        throw error;
      }
    },
  };
}
