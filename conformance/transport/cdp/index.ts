/**
 * Automation clients that drive a standalone browser: a small raw CDP client, Playwright and Puppeteer, each behind the same
 * few calls. Called by scenarios through `context.cdp`. They attach and report; they never judge and never retry, every wait has
 * a bound, and whoever attaches a client releases it.
 */
export { CdpFault, isLasting } from './cdp-fault.ts';
export {
  type CdpClient,
  type CdpLimits,
  type ClientKind,
  type Connect,
  type Cookie,
  type Departure,
  type RawClient,
  type CdpCallName,
  type CdpOutcome,
  type Cdp,
  type Connectors,
} from '../../core/cdp.ts';
export { cookieWords } from './cookie-words.ts';
export { connectors } from './connectors.ts';
export { createCdp } from './create-cdp.ts';
export type { CdpLog } from './record-connectors.ts';
export { connectRaw } from './raw-client.ts';
