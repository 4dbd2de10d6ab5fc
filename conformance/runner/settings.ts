import type { Profile, SpendLevel } from '../core/spend.ts';
import type { Connectors } from '../core/cdp.ts';
import type { Recording } from '../recording/index.ts';
import type { Exchange } from '../core/exchange.ts';
import type { LedgerListener } from '../core/ledger.ts';
import type { RunEnvironment } from '../transport/run-environment.ts';
import type { Generation, Target, TargetProviderStub } from '../core/target.ts';
import type { NetworkOptions } from '../transport/network/route.ts';
import type { Transport } from '../core/transport.ts';
import type { Requirement } from '../core/requirement.ts';
import type { Verdict } from '../core/report.ts';
import { type Decimal, parseDecimal } from '../core/decimal.ts';

/** One machine's part of a run. */
export interface Shard {
  /** From 1, included. */
  index: number;
  /** How many parts there are; 1 or more. */
  of: number;
}

/** Something that has happened in a run. */
export type Progress =
  | { kind: 'planned' }
  | { kind: 'scenarioStarted' | 'scenarioEnded'; name: string }
  | { kind: 'judged'; id: string; level: Requirement['level']; verdict: Verdict; message?: string }
  | { kind: 'cleaning' };

/** How far a run is. */
export interface ProgressCounts {
  /** Rows that were judged, of those that are planned. */
  judged: number;
  planned: number;
  requests: number;
  created: number;
  /** Decimal string in US dollars, as last seen. */
  spentUsd: string;
  elapsedMs: number;
}

/** Hears of an event; `counts` may be asked again at any time until the run has ended. It must not throw. */
export type ProgressListener = (event: Progress, counts: () => ProgressCounts) => void;

/** What a run needs and what it may do. */
export interface RunOptions {
  target: Target;
  apiKey: string;
  /** Key of another project of the same target: what needs two projects is then judged. @defaultValue none */
  otherApiKey?: string;
  /** `full` also judges what goes beyond the contract; reported apart. @defaultValue `documented` */
  profile?: Profile;
  /** Sends nothing but GET: what needs more is not run. @defaultValue false */
  readOnly?: boolean;
  /** Generations whose frozen sets are to be shown: the scope of the run, with every cell. @defaultValue none */
  certify?: readonly Generation[];
  /** Requirement ids, covered ids, areas or generations; everything when absent. */
  only?: readonly string[];
  /** @defaultValue `none` */
  spend?: SpendLevel;
  /** Tasks dispatched at most. @defaultValue 25; unlimited with `matrix: 'full'` */
  maxDispatches?: number;
  /**
   * Ends the run before it could cost more, in US dollars: what lives counts with its ceiling. @defaultValue unlimited
   */
  maxCostUsd?: number | string;
  /** `full` dispatches every acceptance cell. @defaultValue `sample` */
  matrix?: 'sample' | 'full';
  /** Seed of everything drawn; 32 bits. @defaultValue drawn at random and reported */
  seed?: number;
  /** Judges one case again; replaces `only` and `seed`. */
  replay?: string;
  /** Ends the run after this time. @defaultValue unlimited */
  timeLimitMs?: number;
  /** Longest wait for one answer. @defaultValue 30000 */
  timeoutMs?: number;
  /** Requests per second; 0 = unlimited. @defaultValue 20; unlimited for a target on this machine */
  ratePerSecond?: number;
  /** Longest wait that a Retry-After may ask for; what asks for more is not run. @defaultValue 60000 */
  retryAfterMaxMs?: number;
  /** Requests in flight at once. @defaultValue 8 */
  concurrency?: number;
  /** Ends the run after this number of failed requirements. @defaultValue unlimited */
  maxFailures?: number;
  /**
   * Judges first what takes few requests, and the laws of what was seen after every step: a run that ends at its first failures sends
   * the fewest then, and a whole one takes longer. @defaultValue true where `maxFailures` is given
   */
  cheapFirst?: boolean;
  /** Ids that `maxFailures` does not count, because they are known to fail. @defaultValue none */
  known?: readonly string[];
  /** A proxy, or authorities of certificates, on the way to the target. @defaultValue the plain network */
  network?: NetworkOptions;
  /** Hears of every exchange as it happens, secrets hidden. */
  onExchange?: (exchange: Exchange) => void;
  /** Headers for every request. */
  headers?: Record<string, string>;
  /** Maximum number of cases of a property. @defaultValue 20 */
  propertyRuns?: number;
  /** Scripts that are drawn and played for each life cycle; 0 = none. @defaultValue 3 */
  statefulRuns?: number;
  /** Automation clients that drive browsers. @defaultValue a raw client, Playwright and Puppeteer */
  connectors?: Connectors;
  /** Starts the provider stub that the target file names. @defaultValue one on this machine */
  openStub?: OpenStub;
  /** What carries requests. @defaultValue HTTP */
  transport?: Transport;
  /** Time and chance. @defaultValue those of this machine */
  environment?: RunEnvironment;
  /** Is given everything that happened, after the end of the run. */
  onRecording?: (recording: Recording) => void;
  /** Ends the run early; what was created is still removed. */
  signal?: AbortSignal;
  /** The part of the run that this machine does; needs a seed. @defaultValue all of it */
  shard?: Shard;
  /** Hears how the run goes on. */
  onProgress?: ProgressListener;
  /** Hears of every booking of the ledger, so that a crash can be cleaned up after. */
  onLedger?: LedgerListener;
}

export type Optional =
  | 'otherApiKey'
  | 'onExchange'
  | 'certify'
  | 'only'
  | 'replay'
  | 'signal'
  | 'shard'
  | 'onProgress'
  | 'onLedger'
  | 'onRecording';

/** Options with every default filled in. */
export interface RunSettings extends Required<Omit<RunOptions, Optional>> {
  otherApiKey: string | undefined;
  onExchange: ((exchange: Exchange) => void) | undefined;
  /** What requests are sent through; undefined = the plain network. The runner opens and closes it. */
  certify: readonly Generation[] | undefined;
  only: readonly string[] | undefined;
  replay: string | undefined;
  signal: AbortSignal | undefined;
  shard: Shard | undefined;
  onProgress: ProgressListener | undefined;
  onLedger: LedgerListener | undefined;
  onRecording: ((recording: Recording) => void) | undefined;
}

/** Opens the provider stub of a run; the caller closes it. */
export type OpenStub = (stub: TargetProviderStub) => Promise<{ close(): Promise<void> }>;

/** The cost limit of a run; undefined = unlimited. */
export function costLimit({ maxCostUsd }: Pick<RunSettings, 'maxCostUsd'>): Decimal | undefined {
  if (maxCostUsd === Number.POSITIVE_INFINITY) return undefined;
  return parseDecimal(typeof maxCostUsd === 'number' ? maxCostUsd.toFixed(9) : maxCostUsd);
}
