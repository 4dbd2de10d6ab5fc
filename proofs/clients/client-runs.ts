import { rmSync } from 'node:fs';
import type { Report } from '#conformance/index.ts';
import { type Trial, drawnSituation, trials } from '#conformance/clients/trial.ts';
import { checkClient } from '../../src/library/index.ts';
import { brokenClients, type BrokenClient } from '../../test/check-client/broken-clients.ts';
import { buildBrokenClient } from '../../test/check-client/build-broken-client.ts';
import type { ReachedTrials } from './reached-trials.ts';

/** An adapter of examples/check-client, which keeps every rule. */
export interface GoodClient {
  readonly name: string;
  readonly command: readonly [program: string, ...arguments: string[]];
  /** Trials that more than one seed is run in. */
  readonly isSeeded: (trial: Trial) => boolean;
}

const adapter = (name: string, program: string, file: string): GoodClient => ({
  name,
  command: [program, `examples/check-client/${name}/${file}`],
  isSeeded: () => true,
});

/** Every adapter. The adapter for Playwright has a part of its own for browsers; the rest is the fetch adapter. */
export const goodClients: readonly GoodClient[] = [
  adapter('fetch', process.execPath, 'adapter.mjs'),
  adapter('python', 'python3', 'adapter.py'),
  adapter('generated', process.execPath, 'adapter.ts'),
  adapter('typed', process.execPath, 'adapter.mjs'),
  {
    ...adapter('playwright', process.execPath, 'adapter.mjs'),
    isSeeded: ({ scenario }) => scenario === 'browser',
  },
];

/** One judgement of one client in some trials, by every rule that they judge. */
export interface ClientWork {
  /** Permanent name, such as `fetch 7` or `broken sends no key`. */
  readonly key: string;
  /** Name of the adapter, or the rule that a broken client breaks. */
  readonly client: string;
  readonly seed: number;
  /** Names of the trials. */
  readonly only: readonly string[];
  readonly judge: () => Promise<Report>;
}

/** Result of one judgement. */
export interface ClientDone {
  readonly key: string;
  readonly client: string;
  readonly seed: number;
  readonly commit: string;
  /** Ids of the rules with a finding. */
  readonly found: readonly string[];
  /** Ids of the rules without a verdict. */
  readonly open: readonly string[];
  /** Id, trial and message of each finding. */
  readonly notes: readonly string[];
  readonly seconds: number;
  /** How often the program was started. */
  readonly trials: number;
}

/** Seeds of each good client. */
export const seedsMax = 100;

/**
 * Lists the judgements of the good clients, seed by seed. A seed takes part with the trials in which it draws a situation
 * that no seed before it has drawn; a seed without such a trial has no judgement.
 */
export function goodWork(seeds: number): ClientWork[] {
  const seen = new Set<string>();
  const numbers = Array.from({ length: seeds }, (_, index) => index + 1);
  return numbers.flatMap((seed) => {
    const fresh = trials.filter((trial) => isNew(seen, `${trial.name} ${drawnSituation(trial, seed)}`));
    return goodClients.flatMap(({ name, command, isSeeded }) => {
      const only = (seed === 1 ? trials : fresh.filter(isSeeded)).map((trial) => trial.name);
      const judge = (): Promise<Report> => checkClient({ command, seed, only, concurrency });
      return only.length === 0 ? [] : [{ key: `${name} ${seed}`, client: name, seed, only, judge }];
    });
  });
}

function isNew(seen: Set<string>, text: string): boolean {
  const isKnown = seen.has(text);
  seen.add(text);
  return !isKnown;
}

/** Lists the judgement of every broken client, once each, in the trials that reach what is broken. The shortest is first. */
export function brokenWork(reached: ReachedTrials): ClientWork[] {
  const work = brokenClients.map((broken) => {
    const only = reached(broken);
    return {
      key: `broken ${broken.rule} ${broken.name}`,
      client: broken.rule,
      seed: 1,
      only,
      judge: () => judgeBroken(broken, only),
    };
  });
  return work.toSorted((left, right) => left.only.length - right.only.length);
}

async function judgeBroken(broken: BrokenClient, only: readonly string[]): Promise<Report> {
  const { folder, adapter: file } = buildBrokenClient(broken);
  try {
    return await checkClient({ command: [process.execPath, file], only, concurrency });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Programs of one judgement that run at the same time; {@link workThrough} makes several judgements. */
const concurrency = 4;

/** Judges one client. */
export async function doWork({ key, client, seed, judge }: ClientWork, commit: string): Promise<ClientDone> {
  const report = await judge();
  const found = report.requirements.filter(({ verdict }) => verdict === 'violation' || verdict === 'warning');
  const notes = found.flatMap(({ id, failures }) =>
    failures.map(({ cell, message }) => `${id} in ${cell}: ${message}`),
  );
  return {
    key,
    client,
    seed,
    commit,
    found: found.map(({ id }) => id),
    open: report.requirements.flatMap(({ id, verdict }) => (verdict === 'notTestable' ? [id] : [])),
    notes,
    seconds: report.durationMs / 1000,
    trials: report.client?.trials ?? 0,
  };
}
