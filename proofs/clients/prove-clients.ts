import { rmSync, writeFileSync } from 'node:fs';
import { openJournal } from '../journal.ts';
import { type ReachedTrials, measureReachedTrials } from './reached-trials.ts';
import { table } from '../../tools/pages/markdown.ts';
import { type BrokenClient, brokenClients } from '../../test/check-client/broken-clients.ts';
import type { Report } from '#conformance/index.ts';
import { type Trial, drawnSituation, trials } from '#conformance/clients/trial.ts';
import { checkClient } from '../../src/library/index.ts';
import { buildBrokenClient } from '../../test/check-client/build-broken-client.ts';

/** Options of the proof. */
interface ClientsOptions {
  /**
   * The proof makes the judgements whose keys begin with this text: the name of an adapter, `broken`, or `broken` and a
   * rule. An empty text selects every judgement.
   */
  readonly only: string;
  readonly seedsMax: number;
  /** Minutes after which the proof begins no further judgement. */
  readonly minutes: number;
  readonly fresh: boolean;
}

/**
 * Judges the correct clients with many seeds, and every broken client, each by the rules of its trials. If `only` is
 * empty, writes docs/evidence/clients.md. Returns false if a judgement has a fault (see {@link clientFaults}), or if
 * judgements remain when the time is over.
 */
export async function proveClients(given: ClientsOptions): Promise<boolean> {
  const { only, minutes, fresh } = given;
  const journal = openJournal<ClientDone>('clients', fresh);
  const until = performance.now() + minutes * 60_000;
  const all = goodWork(Math.min(given.seedsMax, seedsMax));
  if ('broken'.startsWith(only) || only.startsWith('broken')) all.push(...brokenWork(await measureReachedTrials()));
  const chosen = all.filter(({ key }) => key.startsWith(only));
  if (chosen.length === 0)
    throw new Error(`found no judgement that begins with "${only}", expected one such as broken`);
  const left = await workThrough(chosen, journal, () => performance.now() > until);
  const done = [...journal.done.values()];
  if (only === '') writeFileSync('docs/evidence/clients.md', clientsPage(done, all));
  const faults = done.flatMap(clientFaults);
  const page = only === '' ? ': docs/evidence/clients.md' : '';
  console.log(`${done.length} judgements, ${faults.length} faults, ${left} left${page}`);
  return faults.length === 0 && left === 0;
}

/** Number of judgements that run at the same time, because the judged programs wait most of their time. */
const judgementsAtOnce = 3;

/** Makes the judgements that the journal lacks. Returns the number of judgements that remain when the time is over. */
async function workThrough(
  work: readonly ClientWork[],
  journal: ReturnType<typeof openJournal<ClientDone>>,
  isOver: () => boolean,
): Promise<number> {
  const rest = work.filter(({ key }) => !journal.done.has(key));
  console.log(`clients on ${journal.commit}: ${work.length} in all, ${work.length - rest.length} done before`);
  const takeNext = async (): Promise<void> => {
    for (let piece = rest.shift(); piece !== undefined; piece = rest.shift()) {
      const done = await doWork(piece, journal.commit);
      journal.add(done);
      console.log([`${done.key}: ${done.seconds.toFixed(1)} s`, ...clientFaults(done)].join('\n  '));
      if (isOver()) return;
    }
  };
  await Promise.all(Array.from({ length: judgementsAtOnce }, takeNext));
  return rest.length;
}

/**
 * Returns the faults of one judgement: findings about a good client, rules without a verdict at seed 1, or for a broken
 * client a missed violation of its rule and findings of other rules.
 */
function clientFaults({ key, client, seed, found, open, notes }: ClientDone): string[] {
  // A later seed runs only some trials, so a rule without a verdict is no fault then.
  if (!key.startsWith('broken ')) return [...notes, ...(seed === 1 ? open.map((id) => `${id} has no verdict`) : [])];
  const missed = found.includes(client) ? [] : [`${client} does not catch it`];
  return [...missed, ...notes.filter((note) => !note.startsWith(`${client} `))];
}

/** Returns the text of docs/evidence/clients.md. `all` contains every judgement of the good clients, done or not. */
function clientsPage(done: readonly ClientDone[], all: readonly ClientWork[]): string {
  const broken = done.filter(({ key }) => key.startsWith('broken '));
  const good = done.filter(({ key }) => !key.startsWith('broken '));
  const others = broken.filter(({ client, found }) => found.some((id) => id !== client));
  const missed = broken.filter(({ client, found }) => !found.includes(client));
  return `${[
    '# Clients',
    `Written by \`npm run long -- clients\`, ${new Date().toISOString().slice(0, 10)}.`,
    '## Good clients',
    `Each adapter of \`examples/check-client\` keeps the rules for clients. A finding about an adapter is a false alarm. ${commitText(good)}`,
    'Seed 1 starts the program once for each trial. A seed decides faults, timings, the work of the mock, files and texts. Two seeds with ' +
      'the same situation of a trial differ only in random words, so each situation of the seeds 1 to 100 is run once. The adapter ' +
      'for Playwright differs from the others only in the trials with browsers; further seeds run only these trials of it.',
    table(
      ['Adapter', 'Judgements of seeds 1 to 100', 'Programs started', 'False alarms', 'Rules without a verdict'],
      goodClients.map(({ name }) =>
        goodRow(
          name,
          good.filter(({ client }) => client === name),
          all.filter(({ client }) => client === name),
        ),
      ),
    ),
    ...list(
      'False alarms',
      good.flatMap(({ key, notes }) => notes.map((note) => `${key}: ${note}`)),
    ),
    '## Broken clients',
    `${broken.length} of the ${brokenClients.length} clients that break one rule were judged by every rule: ${broken.length - missed.length} were caught by ` +
      `their rule, ${broken.length - new Set([...missed, ...others]).size} of them by this rule alone. ${commitText(broken)}`,
    `Each was run in all trials in which the good client executes a part that is broken (${broken.reduce((sum, run) => sum + run.trials, 0)} ` +
      'programs started). In every other trial it does what the good client does.',
    ...list('Caught by another rule too', others.map(otherLine)),
    ...list(
      'Not caught',
      missed.map(({ key }) => key),
    ),
  ].join('\n\n')}\n`;
}

function commitText(done: readonly ClientDone[]): string {
  return `Commit ${[...new Set(done.map(({ commit }) => commit))].join(', ')}.`;
}

function goodRow(name: string, runs: readonly ClientDone[], all: readonly ClientWork[]): string[] {
  const open = runs.filter(({ seed }) => seed === 1).flatMap((run) => run.open);
  return [
    name,
    `${runs.length} of ${all.length}`,
    String(runs.reduce((sum, run) => sum + run.trials, 0)),
    String(runs.reduce((sum, { notes }) => sum + notes.length, 0)),
    open.length === 0 ? '0' : open.join(', '),
  ];
}

function otherLine({ key, client, found }: ClientDone): string {
  return `${key}: ${found.filter((id) => id !== client).join(', ')}`;
}

function list(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`### ${title}`, lines.map((line) => `- ${line}`).join('\n')];
}

/** An adapter of examples/check-client. It violates no rule for clients. */
interface GoodClient {
  readonly name: string;
  readonly command: readonly [program: string, ...arguments: string[]];
  /** Returns true for a trial that runs with more than one seed. */
  readonly isSeeded: (trial: Trial) => boolean;
}

const adapter = (name: string, program: string, file: string): GoodClient => ({
  name,
  command: [program, `examples/check-client/${name}/${file}`],
  isSeeded: () => true,
});

/**
 * All good clients. The Playwright adapter uses the fetch adapter for everything except browsers, so only its browser
 * trials run with several seeds.
 */
const goodClients: readonly GoodClient[] = [
  adapter('fetch', process.execPath, 'adapter.mjs'),
  adapter('python', 'python3', 'adapter.py'),
  adapter('generated', process.execPath, 'adapter.ts'),
  adapter('typed', process.execPath, 'adapter.mjs'),
  {
    ...adapter('playwright', process.execPath, 'adapter.mjs'),
    isSeeded: ({ scenario }) => scenario === 'browser',
  },
];

/** One judgement of a client: the trials to run, and a function that runs them and returns the report. */
interface ClientWork {
  /** Permanent name, such as `fetch 7` or `broken CLIENT-KEY-01 sends no key`. */
  readonly key: string;
  /** Name of the adapter, or id of the rule that a broken client violates. */
  readonly client: string;
  readonly seed: number;
  /** Names of the trials to run. */
  readonly only: readonly string[];
  readonly judge: () => Promise<Report>;
}

/** Result of one judgement. */
interface ClientDone {
  readonly key: string;
  readonly client: string;
  readonly seed: number;
  readonly commit: string;
  /** Ids of the rules that have a finding. */
  readonly found: readonly string[];
  /** Ids of the rules for which the judgement has no verdict. */
  readonly open: readonly string[];
  /** For each finding the id of the rule, the trial and the message. */
  readonly notes: readonly string[];
  readonly seconds: number;
  /** Number of times that the client program was started. */
  readonly trials: number;
}

/** Number of seeds for each good client. */
const seedsMax = 100;

/**
 * Lists the judgements of the good clients, seed by seed. Seed 1 runs all trials. A later seed runs a trial only if
 * `isSeeded` accepts the trial, and if no earlier seed has produced the same situation in this trial. Without such a
 * trial, an adapter has no judgement for the seed.
 */
function goodWork(seeds: number): ClientWork[] {
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

/**
 * Lists one judgement for each broken client. The judgement runs only the trials that execute the changed code of the
 * client. Judgements with the fewest trials come first.
 */
function brokenWork(reached: ReachedTrials): ClientWork[] {
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

/** Number of concurrent programs in one judgement; {@link workThrough} makes several judgements at the same time. */
const concurrency = 4;

/** Makes one judgement and collects its findings, which are violations and warnings. */
async function doWork({ key, client, seed, judge }: ClientWork, commit: string): Promise<ClientDone> {
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
