import { type Connectors, connectors } from '../transport/cdp/index.ts';
import type { Recording } from '../recording/index.ts';
import type { Exchange } from '../core/exchange.ts';
import type { LedgerListener } from '../ledger/ledger.ts';
import type { SpendLevel } from '../core/spend.ts';
import { type RunEnvironment, createRunEnvironment } from '../transport/run-environment.ts';
import { SuiteError } from '../core/suite-error.ts';
import { type Generation, type Target, isLocalTarget, type TargetProviderStub } from '../core/target/target.ts';
import type { NetworkOptions } from '../transport/network/index.ts';
import type { ThrottleOptions } from '../transport/throttle.ts';
import { sendOverHttp } from '../transport/send-over-http.ts';
import type { Transport } from '../transport/transport.ts';
import type { ProgressListener } from './progress.ts';
import { type Shard, assertShard } from './shard.ts';
import { placeOf, startProviderStub } from '../provider-stub/index.ts';

/** What is judged: whether somebody answers (at most five free requests), the contract, or also what goes beyond it. */
export const profiles = ['smoke', 'documented', 'full'] as const;

/** One of the profiles. */
export type Profile = (typeof profiles)[number];

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
  /** Most cases that one property tries. @defaultValue 20 */
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

type Optional =
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

/** Fills in the defaults. Throws SuiteError `usage` for a second key that is the first one. */
export function settle(options: RunOptions): RunSettings {
  if (options.otherApiKey === options.apiKey) {
    throw new SuiteError('usage', {
      found: 'the same key twice',
      expected: 'in --other-api-key the key of another project',
      next: 'pass another key, or none',
    });
  }
  return {
    otherApiKey: undefined,
    network: {},
    onExchange: undefined,
    profile: 'documented',
    readOnly: false,
    certify: undefined,
    only: undefined,
    spend: 'none',
    maxDispatches: options.matrix === 'full' ? Number.POSITIVE_INFINITY : 25,
    maxCostUsd: Number.POSITIVE_INFINITY,
    matrix: 'sample',
    seed: Math.floor(Math.random() * 2 ** 31),
    replay: undefined,
    timeLimitMs: Number.POSITIVE_INFINITY,
    timeoutMs: 30_000,
    ratePerSecond: isLocalTarget(options.target) ? 0 : 20,
    retryAfterMaxMs: 60_000,
    concurrency: 8,
    maxFailures: Number.POSITIVE_INFINITY,
    cheapFirst: options.maxFailures !== undefined && Number.isFinite(options.maxFailures),
    known: [],
    headers: {},
    propertyRuns: 20,
    statefulRuns: 3,
    connectors,
    openStub: openProviderStub,
    transport: sendOverHttp,
    environment: createRunEnvironment(),
    signal: undefined,
    onLedger: undefined,
    onRecording: undefined,
    shard: undefined,
    onProgress: undefined,
    ...options,
    ...costOfShard(options),
  };
}

/** How fast requests may be sent. */
export function requestPace({
  ratePerSecond,
  concurrency,
  environment,
}: RunSettings): Pick<ThrottleOptions, 'ratePerSecond' | 'concurrency'> {
  return environment.unpaced
    ? { ratePerSecond: 0, concurrency: Number.POSITIVE_INFINITY }
    : { ratePerSecond, concurrency };
}

// Every machine watches its own costs, so each gets an equal part of what all of them may cost.
function costOfShard({ shard, seed, maxCostUsd }: RunOptions): { maxCostUsd?: number } {
  if (shard === undefined) return {};
  assertShard(shard);
  if (seed === undefined) {
    throw new SuiteError('usage', {
      found: '--shard without --seed',
      expected: 'the same seed for every shard, because they share one plan',
      next: 'pass --seed N to every shard',
    });
  }
  return maxCostUsd === undefined ? {} : { maxCostUsd: Number(maxCostUsd) / shard.of };
}

/** Opens the provider stub of a run; whoever opens it closes it. */
type OpenStub = (stub: TargetProviderStub) => Promise<{ close(): Promise<void> }>;

/** Starts a provider stub where the target file says. Throws SuiteError `usage` when nobody can listen there. */
const openProviderStub: OpenStub = async ({ listen, reply, ownKeyEndings }) => {
  try {
    return await startProviderStub({ ...placeOf(listen), script: reply, ownKeyEndings });
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    throw new SuiteError('usage', {
      found: `${String(error.code)} at the address ${listen} of the provider stub (providerStub.listen)`,
      expected: 'an address of this machine that is free',
      next: 'end what listens there, or name another port here and in the configuration of the target',
    });
  }
};
