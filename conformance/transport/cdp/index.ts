/**
 * Automation clients that drive a standalone browser: a small raw CDP client, Playwright and Puppeteer, each behind the
 * same few calls. Scenarios call them through `context.cdp`. A client attaches and reports; it never judges and never
 * retries. Every wait has a deadline, and the caller that attaches a client releases it.
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
export { cookieWords, type CdpLog } from './record-connectors.ts';
export { connectors } from './connectors.ts';
export { createCdp } from './create-cdp.ts';
export { connectRaw } from './raw-client.ts';
