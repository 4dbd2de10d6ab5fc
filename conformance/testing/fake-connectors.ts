import { connectRaw } from '../transport/cdp/index.ts';
import type { CdpClient, ClientKind, Connectors } from '../core/cdp.ts';

/**
 * Replacements of Playwright and Puppeteer: the raw client with the disconnect behaviour of each. `close` of Playwright
 * ends only its connection; Puppeteer can disconnect, or close the browser with Browser.close. A query parameter tells
 * the fake service which client connects.
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
