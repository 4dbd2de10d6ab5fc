import { type GoodServer, goodServers } from './good-servers.ts';
import { currentCommit } from '../tools/measure/evidence.ts';
import { prove } from './prove.ts';
import { choose, type Done, type LongOptions, type Work } from './work.ts';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { table } from '../tools/pages/markdown.ts';

/**
 * Judges conforming servers with many seeds and writes docs/evidence/seeds.md. Returns false for a false alarm, or when
 * the time limit was reached before all runs were done.
 */
export async function proveSeeds(options: LongOptions): Promise<boolean> {
  const servers = choose(goodServers, options.only, ({ id }) => id);
  const work = getWork(servers, options);
  const proved = await prove({ name: 'seeds', work, findProblems: (done) => getAlarms(servers, done) }, options);
  const parts = servers.flatMap(({ id: server }) => {
    const runs = proved.done.filter((done) => done.server === server);
    const alarms = proved.problems.filter((problem) => problem.startsWith(`${server} `));
    return seedPart({ commit: proved.commit, server }, runs, alarms) ?? [];
  });
  writeSeedsPage(goodServers, keepSeedParts(proved.commit, parts));
  console.log(`${proved.done.length} runs, ${proved.problems.length} alarms: docs/evidence/seeds.md`);
  return proved.done.length === proved.planned && proved.problems.length === 0;
}

/**
 * Returns the runs to make: all runs if `fresh` is true, otherwise all except those that another commit has made
 * without a false alarm. One seed of every server comes first, then the next seed of every server, so that an early end
 * has covered all servers.
 */
function getWork(servers: readonly GoodServer[], { seedsMax, fresh }: LongOptions): Work[] {
  const shown = fresh ? [] : readSeedParts();
  const wanted = servers.map(({ id, seeds }) => {
    const before = shownSeeds(shown, id, currentCommit());
    return { id, seeds: upTo(Math.min(seeds, seedsMax)).filter((seed) => !before.has(seed)) };
  });
  const rounds = Math.max(0, ...wanted.map(({ seeds }) => seeds.length));
  return upTo(rounds).flatMap((round) =>
    wanted.flatMap(({ id, seeds }): Work[] => {
      const seed = seeds[round - 1];
      return seed === undefined ? [] : [{ key: `${id} ${seed}`, what: 'seed', server: id, seed }];
    }),
  );
}

/** Returns the numbers from 1 to `count`. */
function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

/**
 * Returns the alarms of a run: findings other than those in the server's `promises`, errors of the suite, and resources
 * that are left.
 */
function getAlarms(servers: readonly GoodServer[], { server, failing, errors, left, notes }: Done): string[] {
  const promises = servers.find(({ id }) => id === server)?.promises ?? [];
  const told = (id: string): string => notes.find((note) => note.startsWith(`${id}:`)) ?? id;
  return [
    ...failing.filter((id) => !promises.includes(id)).map((id) => `alarm ${told(id)}`),
    ...errors.map((id) => `error ${told(id)}`),
    ...(left === 0 ? [] : [`left ${left} things alive`]),
  ];
}

/** Writes docs/evidence/seeds.md: the judged seeds and the alarms, by server and by commit. */
function writeSeedsPage(servers: readonly GoodServer[], parts: readonly SeedPart[]): void {
  const getParts = (id: string): SeedPart[] => parts.filter(({ server }) => server === id);
  const totals = servers.map(({ id, does, promises, seeds }) => [
    id,
    promises.length === 0 ? does : `${does} Not judged by ${promises.join(', ')}, which promise more.`,
    `${distinct(getParts(id))} of ${seeds}`,
    String(shownSeeds(parts, id, null).size),
    String(sum(getParts(id).map(({ requests }) => requests))),
    String(sum(getParts(id).map(({ alarms }) => alarms.length))),
  ]);
  const rows = servers.flatMap(({ id }) => getParts(id)).map(getRow);
  const alarms = parts.flatMap((part) => part.alarms.map((alarm) => `- ${part.commit}: ${alarm}`));
  const text = [
    '# Seeds',
    'Written by `npm run long -- seeds`.',
    'Each run judges a correct server by the whole suite (`--profile full --spend task`, two keys; a legal choice by `--profile documented`). An alarm is a finding, an error of the suite, or a resource that the run left alive. A seed without an alarm is clean; a later proof does not repeat it. Alarms stay in the list after their cause is corrected.',
    table(['Server', 'What it does', 'Seeds', 'Clean', 'Requests', 'Alarms'], totals),
    '## By commit',
    table(['Commit', 'Day', 'Server', 'Seeds', 'Runs', 'Requests', 'Alarms', 'Seconds'], rows),
    ...(alarms.length === 0 ? [] : ['## Alarms', alarms.join('\n')]),
  ].join('\n\n');
  writeFileSync('docs/evidence/seeds.md', `${text}\n`);
}

function getRow({ commit, date, server, seeds, runs, requests, alarms, seconds }: SeedPart): string[] {
  const shown = seeds.map(([first, last]) => (first === last ? String(first) : `${first} to ${last}`)).join(', ');
  return [commit, date, server, shown, ...[runs, requests, alarms.length, seconds].map(String)];
}

/** Returns the number of distinct seeds. */
function distinct(parts: readonly SeedPart[]): number {
  const rows = parts.flatMap(({ seeds }) => seeds);
  return new Set(rows.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, at) => first + at))).size;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Results of one commit for one server. */
export interface SeedPart {
  readonly commit: string;
  /** Day of the latest run, for example 2026-11-21. */
  readonly date: string;
  readonly server: string;
  /** Seeds of the runs as ranges of first and last. */
  readonly seeds: readonly (readonly [first: number, last: number])[];
  readonly runs: number;
  readonly requests: number;
  readonly seconds: number;
  readonly alarms: readonly string[];
  /** Seeds with false alarms; absent in old results, whose alarms apply to all seeds of the part. */
  readonly alarmed?: readonly number[];
}

const file = 'docs/evidence/seeds.json';

/** Reads the results of every commit. */
function readSeedParts(): readonly SeedPart[] {
  if (!existsSync(file)) return [];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only this file writes it
  return JSON.parse(readFileSync(file, 'utf8')) as SeedPart[];
}

/**
 * Replaces the results of one commit for the servers of these parts in docs/evidence/seeds.json. Returns all results.
 */
function keepSeedParts(commit: string, parts: readonly SeedPart[]): readonly SeedPart[] {
  const servers = new Set(parts.map(({ server }) => server));
  const others = readSeedParts().filter((part) => part.commit !== commit || !servers.has(part.server));
  const all = [...others, ...parts];
  writeFileSync(file, `${JSON.stringify(all, null, 2)}\n`);
  return all;
}

/**
 * Returns the seeds with which a commit other than `commit` has judged a server without a false alarm. With `commit`
 * null, every commit counts. A later proof skips these seeds.
 */
export function shownSeeds(parts: readonly SeedPart[], server: string, commit: string | null): ReadonlySet<number> {
  const others = parts.filter((part) => part.server === server && part.commit !== commit);
  return new Set(others.flatMap(cleanSeeds));
}

function cleanSeeds({ seeds, alarms, alarmed }: SeedPart): number[] {
  const all = seeds.flatMap(([first, last]) => range(first, last));
  if (alarmed === undefined) return alarms.length === 0 ? all : [];
  return all.filter((seed) => !alarmed.includes(seed));
}

/** Returns the results of one commit for one server; undefined when nothing was judged. */
export function seedPart(
  { commit, server }: Pick<SeedPart, 'commit' | 'server'>,
  runs: readonly Done[],
  alarms: readonly string[],
): SeedPart | undefined {
  if (runs.length === 0) return undefined;
  const isAlarmed = ({ key }: Done): boolean => alarms.some((alarm) => alarm.startsWith(`${key}: `));
  return {
    commit,
    date: new Date().toISOString().slice(0, 10),
    server,
    seeds: getRows(runs.map(({ seed }) => seed)),
    runs: runs.length,
    requests: sum(runs.map(({ requests }) => requests)),
    seconds: Math.round(sum(runs.map(({ seconds }) => seconds))),
    alarms,
    alarmed: runs.filter(isAlarmed).map(({ seed }) => seed),
  };
}

/** Groups numbers into ranges: 1, 2, 3, 7 become 1 to 3 and 7 to 7. */
export function getRows(numbers: readonly number[]): [first: number, last: number][] {
  const rows: [number, number][] = [];
  for (const number of numbers.toSorted((left, right) => left - right)) {
    const last = rows.at(-1);
    if (last !== undefined && number <= last[1] + 1) last[1] = number;
    else rows.push([number, number]);
  }
  return rows;
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
