import type { ClientKind, Connect, RawClient } from './cdp-client.ts';
import { connectPlaywright } from './playwright-client.ts';
import { connectPuppeteer } from './puppeteer-client.ts';
import { connectRaw } from './raw-client.ts';

/** How each kind of client attaches; a test of the suite may put others in their place. */
export interface Connectors extends Record<ClientKind, Connect> {
  raw: Connect<RawClient>;
}

/** The real clients. */
export const connectors: Connectors = {
  raw: connectRaw,
  playwright: connectPlaywright,
  puppeteer: connectPuppeteer,
};
