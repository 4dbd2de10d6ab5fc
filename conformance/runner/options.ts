import type { RunOptions, RunSettings, OpenStub } from './settings.ts';
import { connectors } from '../transport/cdp/index.ts';
import { createRunEnvironment } from '../transport/run-environment.ts';
import { SuiteError } from '../core/suite-error.ts';
import { isLocalTarget } from '../core/target.ts';
import type { ThrottleOptions } from '../transport/throttle.ts';
import { sendOverHttp } from '../transport/send-over-http.ts';
import { assertShard } from './shard.ts';
import { parsePlace, startProviderStub } from '../provider-stub/index.ts';

/**
 * Adds the default options. Throws SuiteError `usage` if the second key equals the first, for an invalid shard, and for
 * a shard without a seed.
 */
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
    patient: false,
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
    ...getShardLimit(options),
  };
}

/** Returns the limits on the rate and the concurrency of requests; unlimited in an unpaced environment. */
export function requestPace({
  ratePerSecond,
  concurrency,
  environment,
}: RunSettings): Pick<ThrottleOptions, 'ratePerSecond' | 'concurrency'> {
  return environment.unpaced
    ? { ratePerSecond: 0, concurrency: Number.POSITIVE_INFINITY }
    : { ratePerSecond, concurrency };
}

// Every shard watches only its own costs, so each gets an equal part of the cost limit.
function getShardLimit({ shard, seed, maxCostUsd }: RunOptions): { maxCostUsd?: number } {
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

/**
 * Starts the provider stub at `listen` of the target file. Throws SuiteError `usage` if the stub cannot listen there.
 */
const openProviderStub: OpenStub = async ({ listen, reply, ownKeyEndings }) => {
  try {
    return await startProviderStub({ ...parsePlace(listen), script: reply, ownKeyEndings });
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    throw new SuiteError('usage', {
      found: `${String(error.code)} at the address ${listen} of the provider stub (providerStub.listen)`,
      expected: 'an address of this machine that is free',
      next: 'end what listens there, or name another port here and in the configuration of the target',
    });
  }
};
