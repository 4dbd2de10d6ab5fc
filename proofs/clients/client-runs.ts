import { rmSync } from 'node:fs';
import type { Report } from '#conformance/index.ts';
import { checkClient } from '../../src/library/index.ts';
import { brokenClients, type BrokenClient } from '../../test/check-client/broken-clients.ts';
import { buildBrokenClient } from '../../test/check-client/build-broken-client.ts';

/** An adapter of examples/check-client, which keeps every rule. */
export interface GoodClient {
  readonly name: string;
  readonly command: readonly [program: string, ...arguments: string[]];
}

const adapter = (name: string, program: string, file: string): GoodClient => ({
  name,
  command: [program, `examples/check-client/${name}/${file}`],
});

/** Every adapter. */
export const goodClients: readonly GoodClient[] = [
  adapter('fetch', process.execPath, 'adapter.mjs'),
  adapter('python', 'python3', 'adapter.py'),
  adapter('generated', process.execPath, 'adapter.ts'),
  adapter('typed', process.execPath, 'adapter.mjs'),
  adapter('playwright', process.execPath, 'adapter.mjs'),
];

/** One judgement of one client by every rule in every trial. */
export interface ClientWork {
  /** Permanent name, such as `fetch 7` or `broken sends no key`. */
  readonly key: string;
  /** Name of the adapter, or the rule that a broken client breaks. */
  readonly client: string;
  readonly seed: number;
  readonly judge: (seed: number) => Promise<Report>;
}

/** Result of one judgement. */
export interface ClientDone {
  readonly key: string;
  readonly client: string;
  readonly seed: number;
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

/** Lists the judgements of the good clients, seed by seed. */
export function goodWork(seeds: number): ClientWork[] {
  const numbers = Array.from({ length: seeds }, (_, index) => index + 1);
  return numbers.flatMap((seed) =>
    goodClients.map(({ name, command }) => ({
      key: `${name} ${seed}`,
      client: name,
      seed,
      judge: () => judge(command, seed),
    })),
  );
}

/** Lists the judgement of every broken client, once each. */
export function brokenWork(): ClientWork[] {
  return brokenClients.map((broken) => ({
    key: `broken ${broken.rule} ${broken.name}`,
    client: broken.rule,
    seed: 1,
    judge: () => judgeBroken(broken),
  }));
}

async function judgeBroken(broken: BrokenClient): Promise<Report> {
  const { folder, adapter: file } = buildBrokenClient(broken);
  try {
    return await judge([process.execPath, file], 1);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** As `svc check-client` has it. */
const concurrency = 8;

function judge(command: GoodClient['command'], seed: number): Promise<Report> {
  return checkClient({ command, seed, concurrency });
}

/** Judges one client. */
export async function doWork({ key, client, seed, judge: run }: ClientWork): Promise<ClientDone> {
  const report = await run(seed);
  const found = report.requirements.filter(({ verdict }) => verdict === 'violation' || verdict === 'warning');
  const notes = found.flatMap(({ id, failures }) =>
    failures.map(({ cell, message }) => `${id} in ${cell}: ${message}`),
  );
  return {
    key,
    client,
    seed,
    found: found.map(({ id }) => id),
    open: report.requirements.flatMap(({ id, verdict }) => (verdict === 'notTestable' ? [id] : [])),
    notes,
    seconds: report.durationMs / 1000,
    trials: report.client?.trials ?? 0,
  };
}
