import { connectRaw } from '../transport/cdp/index.ts';
import type { CdpClient, ClientKind, Connectors } from '../core/cdp.ts';

/**
 * Stand-ins for Playwright and Puppeteer: the raw client with the departures of each. Playwright only ends its connection
 * when it is closed, Puppeteer sends Browser.close. The fake service knows them by a member of the query.
 */
export const fakeConnectors: Connectors = {
  raw: connectRaw,
  playwright: async (address, limits) => {
    const raw = await connectRaw(named(address, 'playwright'), limits);
    const { leave } = raw.departures;
    return { ...raw, kind: 'playwright', departures: leave === undefined ? {} : { close: leave } } satisfies CdpClient;
  },
  puppeteer: async (address, limits) => {
    const raw = await connectRaw(named(address, 'puppeteer'), limits);
    const { leave, close } = raw.departures;
    return {
      ...raw,
      kind: 'puppeteer',
      departures: { ...(leave === undefined ? {} : { leave }), ...(close === undefined ? {} : { close }) },
    } satisfies CdpClient;
  },
};

function named(address: string, client: ClientKind): string {
  const url = new URL(address);
  url.searchParams.set('client', client);
  return url.href;
}
