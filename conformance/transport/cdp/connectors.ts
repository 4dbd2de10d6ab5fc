import type { Connectors } from '../../core/cdp.ts';
import { connectPlaywright } from './playwright-client.ts';
import { connectPuppeteer } from './puppeteer-client.ts';
import { connectRaw } from './raw-client.ts';

/** The real clients. */
export const connectors: Connectors = {
  raw: connectRaw,
  playwright: connectPlaywright,
  puppeteer: connectPuppeteer,
};
