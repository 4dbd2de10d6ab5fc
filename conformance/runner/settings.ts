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

/** One shard of a run. */
export interface Shard {
  /** Index of the shard, from 1. */
  index: number;
  /** Number of shards; at least 1. */
  of: number;
}

/** One event of a run's progress. */
export type Progress =
  | { kind: 'planned' }
  | { kind: 'scenarioStarted' | 'scenarioEnded'; name: string }
  | { kind: 'judged'; id: string; level: Requirement['level']; verdict: Verdict; message?: string }
  | { kind: 'cleaning' };

/** Counters of a run's progress. */
export interface ProgressCounts {
  /** Number of judged rows among the planned rows. */
  judged: number;
  planned: number;
  requests: number;
  created: number;
  /** Last known cost, decimal string in US dollars. */
  spentUsd: string;
  elapsedMs: number;
}

/**
 * Listener for progress events. `counts` may be called at any time until the run has ended. A listener must not throw.
 */
export type ProgressListener = (event: Progress, counts: () => ProgressCounts) => void;

/** Options of a run. */
export interface RunOptions {
  target: Target;
  apiKey: string;
  /** Key of another project on the same target, for rows that need two projects. @defaultValue none */
  otherApiKey?: string;
  /**
   * `smoke` only checks access; `full` also judges rules beyond the contract and counts them in separate totals.
   * @defaultValue `documented`
   */
  profile?: Profile;
  /** Sends only GET; rows that need other methods are not run. @defaultValue false */
  readOnly?: boolean;
  /**
   * If true, the run waits in real time for events that it could cause at once through a control URL: the expiry of
   * URLs and of idle sessions.
   * @defaultValue false
   */
  patient?: boolean;
  /** Generations to certify. The run then judges their frozen sets, with every cell. @defaultValue none */
  certify?: readonly Generation[];
  /**
   * Selects requirements by ids, areas or generations. An id may be retired, or belong to one row of the table of a
   * requirement (`covers`).
   * @defaultValue every requirement
   */
  only?: readonly string[];
  /** Maximum spend level. @defaultValue `none` */
  spend?: SpendLevel;
  /** Maximum number of dispatched tasks. @defaultValue 25; unlimited with `matrix: 'full'` */
  maxDispatches?: number;
  /**
   * Maximum cost of the run in US dollars. The run ends before its cost can exceed this limit; a live resource counts
   * with its ceiling.
   * @defaultValue unlimited
   */
  maxCostUsd?: number | string;
  /** `full` dispatches every acceptance cell. @defaultValue `sample` */
  matrix?: 'sample' | 'full';
  /** Seed of all random choices, a 32-bit number. @defaultValue a random number, which the report shows */
  seed?: number;
  /** Replay token of one case to judge again; replaces `only`, `seed` and `profile`. */
  replay?: string;
  /** Time limit of the run in ms. @defaultValue unlimited */
  timeLimitMs?: number;
  /** Timeout of one response in ms. @defaultValue 30000 */
  timeoutMs?: number;
  /** Maximum requests per second; 0 = unlimited. @defaultValue 20; unlimited for a target on this machine */
  ratePerSecond?: number;
  /**
   * Maximum accepted Retry-After in ms. A request whose response demands a longer wait is not sent again. If this
   * response is a 429, the row that sent the request is not run.
   * @defaultValue 60000
   */
  retryAfterMaxMs?: number;
  /** Maximum number of concurrent requests. @defaultValue 8 */
  concurrency?: number;
  /**
   * Ends the run as soon as this number of requirements is violated; requirements in `known` do not count.
   * @defaultValue unlimited
   */
  maxFailures?: number;
  /**
   * Judges rows with few requests first, and laws after every batch of rows. A run that ends at its first failures then
   * sends the fewest requests; a complete run takes longer.
   * @defaultValue true with `maxFailures`
   */
  cheapFirst?: boolean;
  /** Ids of requirements whose failures are accepted, and which `maxFailures` does not count. @defaultValue none */
  known?: readonly string[];
  /** A proxy or certificate authorities for the connection to the target. @defaultValue a direct connection */
  network?: NetworkOptions;
  /** Called with each exchange as soon as it is recorded; secrets are already replaced by placeholders. */
  onExchange?: (exchange: Exchange) => void;
  /** Additional headers for every request to the target. */
  headers?: Record<string, string>;
  /** Maximum number of cases of a property. @defaultValue 20 */
  propertyRuns?: number;
  /**
   * Number of random request sequences for each kind of resource in the stateful scenarios; 0 = none. @defaultValue 3
   */
  statefulRuns?: number;
  /** Automation clients for browsers. @defaultValue a raw client, Playwright and Puppeteer */
  connectors?: Connectors;
  /** Starts the provider stub of the target file. @defaultValue a stub on this machine */
  openStub?: OpenStub;
  /** Transport of the requests. @defaultValue HTTP */
  transport?: Transport;
  /** Clock and random source. @defaultValue those of this machine */
  environment?: RunEnvironment;
  /** Receives the recording once, when the final report of the run is built. */
  onRecording?: (recording: Recording) => void;
  /** Ends the run early; the created resources are still removed. */
  signal?: AbortSignal;
  /** The shard that this machine runs; needs a seed. @defaultValue the whole run */
  shard?: Shard;
  /** Receives progress events. */
  onProgress?: ProgressListener;
  /** Called with every change of the ledger, so that a caller can store the ledger for a clean-up after a crash. */
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

/** Options with every default applied. */
export interface RunSettings extends Required<Omit<RunOptions, Optional>> {
  otherApiKey: string | undefined;
  onExchange: ((exchange: Exchange) => void) | undefined;
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

/** Returns the cost limit of a run; undefined = unlimited. */
export function costLimit({ maxCostUsd }: Pick<RunSettings, 'maxCostUsd'>): Decimal | undefined {
  if (maxCostUsd === Number.POSITIVE_INFINITY) return undefined;
  return parseDecimal(typeof maxCostUsd === 'number' ? maxCostUsd.toFixed(9) : maxCostUsd);
}
