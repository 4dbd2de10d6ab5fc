import type { ClientKind, Departure } from './cdp-client.ts';

/** What a client can be asked for. */
export type CdpCallName =
  | 'connect'
  | 'open'
  | 'evaluate'
  | 'ping'
  | 'closePages'
  | 'countPages'
  | 'setCookie'
  | 'cookie'
  | 'release'
  | Departure;

/** One call of an automation client and what came of it. */
export interface CdpOutcome {
  /** Which scenario or check made it. */
  sentBy: string;
  client: ClientKind;
  /** Number of the connection within `sentBy`, from 0 in the order of the calls. */
  connection: number;
  call: CdpCallName;
  /** What it was called with: an address, a mark, an expression. */
  words: readonly string[];
  /** When its outcome was known, in ms since the run began, and how long it took. */
  atMs: number;
  durationMs: number;
  /** The value, where there is one; for `connect` the ways to go away. */
  value?: string | readonly Departure[];
  /** Why it failed. */
  fault?: string;
}
