import type { CdpClient, CdpLimits, Connect } from '../../core/cdp.ts';
import { loadClient } from './load-client.ts';
import { attachWatched, releaseWatched, watchLibrary } from './library-faults.ts';
import { markPage } from './mark-page.ts';
import { releaseLimits, within } from './within.ts';

/** Attaches Puppeteer (`connect`), which is loaded when it is first needed. Throws CdpFault when it cannot attach. */
export const connectPuppeteer: Connect = async (address, given) => {
  const { connect } = await loadClient('puppeteer-core', () => import('puppeteer-core'));
  const limits = watchLibrary('puppeteer-core', given);
  const browser = await attachWatched(limits, () =>
    within(
      {
        what: 'connect of Puppeteer',
        call: connect({ browserWSEndpoint: address, defaultViewport: null, protocolTimeout: limits.timeoutMs }),
        discard: (late) => late.disconnect(),
      },
      limits,
    ),
  );
  const disconnect = (bounds: CdpLimits): Promise<void> =>
    within({ what: 'disconnect of Puppeteer', call: browser.disconnect() }, bounds);
  return {
    kind: 'puppeteer',
    open: async (mark) => {
      const page = await within({ what: 'newPage of Puppeteer', call: browser.newPage() }, limits);
      await within({ what: 'evaluate of Puppeteer', call: page.evaluate(markPage(mark)) }, limits);
    },
    evaluate: async (mark, expression) => {
      const pages = await within({ what: 'pages of Puppeteer', call: browser.pages() }, limits);
      const page = pages.find((one) => one.url().includes(mark));
      if (page === undefined) return undefined;
      return String(await within({ what: 'evaluate of Puppeteer', call: page.evaluate(expression) }, limits));
    },
    departures: {
      leave: () => disconnect(limits),
      close: () => within({ what: 'close of Puppeteer', call: browser.close() }, limits),
    },
    release: () => releaseWatched(limits, async () => (browser.connected ? disconnect(releaseLimits()) : undefined)),
  } satisfies CdpClient;
};
