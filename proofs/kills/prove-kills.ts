import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { makeDatabase } from '../../test/support/postgres/make-database.ts';
import { startPostgres } from '../../test/support/postgres/start-postgres.ts';
import { type KillsResult, runKills } from './run-kills.ts';
import { type Fleet, type Hosts, type Victim, killIfThere, killedKey, sessionsMax } from './fleet.ts';
import { startOneProcessFleet } from './one-process-fleet.ts';
import { table } from '../../tools/pages/markdown.ts';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Balancer, startBalancer } from '../../test/support/scale/start-balancer.ts';
import { type ServiceProcess, onExit, startService } from '../../tools/conformance/svc-process.ts';
import { type BrowserWatch, watchBrowsers } from './browser-watch.ts';
import { keepLog } from './explained.ts';
import { unreferencedBlobs, postgresReader } from './table-reader.ts';
import { readBooks } from './read-books.ts';
import { currentCommit, getMedian } from '../../tools/measure/evidence.ts';

/** Options of the proof. */
interface ProveKillsOptions {
  readonly kills: number;
  readonly seed: number;
  /** Database: `sqlite`, or `postgres` for a server that the proof starts (Debian's `postgresql`). */
  readonly database: string;
  /** Kind of browsers to use, `simulated` or `local`; empty for both. */
  readonly only: string;
}

interface Part {
  readonly hosts: Hosts;
  /** Whether the fleet has two API processes and two workers in place of one process. */
  readonly isOfRoles: boolean;
  /** Share of the kills that this fleet gets, from 0 to 1. */
  readonly share: number;
  readonly clients: number;
  readonly browsersMax: number;
  readonly browserShare: number;
}

const simulated = { hosts: 'simulated', clients: 8, browsersMax: 3, browserShare: 0 } as const;
/**
 * Settings of a fleet with real browsers: as many clients and browsers as a machine can run. Most kills hit a browser.
 */
const local = { hosts: 'local', clients: 2, browsersMax: 1, browserShare: 0.6 } as const;

/**
 * For each database, the fleets with their shares of the kills. Fleets with real browsers get a quarter. Fleets of
 * several processes need PostgreSQL.
 */
const partsByDatabase: Readonly<Record<'sqlite' | 'postgres', readonly Part[]>> = {
  sqlite: [
    { ...simulated, isOfRoles: false, share: 0.75 },
    { ...local, isOfRoles: false, share: 0.25 },
  ],
  postgres: [
    { ...simulated, isOfRoles: false, share: 0.35 },
    { ...local, isOfRoles: false, share: 0.1 },
    { ...simulated, isOfRoles: true, share: 0.4 },
    { ...local, isOfRoles: true, share: 0.15 },
  ],
};

/**
 * Kills services and browsers. Writes docs/evidence/kills.md (kills-postgres.md for PostgreSQL) after a run with both
 * kinds of browsers. Returns false when a fault was found.
 */
export async function proveKills({ kills, seed, database, only }: ProveKillsOptions): Promise<boolean> {
  const command = `npm run long -- kills --kills ${kills} --seed ${seed} --database ${database}${only === '' ? '' : ` --only ${only}`}`;
  console.log(command);
  const commit = currentCommit();
  const begun = performance.now();
  const results: KillsResult[] = [];
  await using owned = new AsyncDisposableStack();
  const server = database === 'postgres' ? await startPostgres() : null;
  owned.defer(() => server?.remove());
  for (const { hosts, isOfRoles, kills: count, ...rest } of plan({ kills, database, only })) {
    const name = `kills_${hosts}_${isOfRoles ? 'roles' : 'one'}`;
    const address = server === null ? null : await makeDatabase(server.address, name);
    const fleet =
      isOfRoles && address !== null
        ? await startFleetOfRoles({ hosts, database: address })
        : await startOneProcessFleet({ hosts, database: address });
    results.push(await runKills({ ...rest, fleet, kills: count, seed, progress: console.log }));
  }
  const seconds = Math.round((performance.now() - begun) / 1000);
  if (only === '') {
    mkdirSync('docs/evidence', { recursive: true });
    writeFileSync(
      `docs/evidence/kills${server === null ? '' : '-postgres'}.md`,
      killsPage(results, { command, seconds, commit, day: new Date().toISOString().slice(0, 10) }),
    );
  }
  return results.every(({ faults }) => faults.length === 0);
}

/**
 * Returns the fleets with their numbers of kills. The kills of excluded fleets are distributed among the other fleets
 * in proportion.
 */
function plan({ kills, database, only }: Pick<ProveKillsOptions, 'kills' | 'database' | 'only'>): (Part & {
  readonly kills: number;
})[] {
  const wanted = partsByDatabase[database === 'postgres' ? 'postgres' : 'sqlite'].filter(
    ({ hosts }) => only === '' || only === hosts,
  );
  const whole = wanted.reduce((sum, { share }) => sum + share, 0);
  return wanted.map((part) => ({ ...part, kills: Math.round((kills * part.share) / whole) }));
}

/** Facts about a run that the page states in addition to the results. */
interface KillsRun {
  readonly command: string;
  readonly seconds: number;
  readonly commit: string;
  /** Day of the run, such as 2026-01-31. */
  readonly day: string;
}

/** Returns the text of docs/evidence/kills.md with one chapter per fleet. */
function killsPage(results: readonly KillsResult[], { command, seconds, commit, day }: KillsRun): string {
  const kills = results.reduce((sum, { killed }) => sum + total(killed), 0);
  const faults = results.reduce((sum, result) => sum + result.faults.length, 0);
  return `${[
    '# Kills',
    `Written by \`${command}\` on commit ${commit}, ${day}.`,
    `${kills} times \`kill -9\` of a process at a random moment while clients worked; ${faults} faults in ${seconds} s. The proof stores every acknowledged write outside of the service. It reads the newest and some of the others back after each kill, and all at the end.`,
    'A fault is: an acknowledged write that is lost or changed, an amount that fell, a total that is not the sum of its parts, an ended resource that is no longer ended, a task that does not end, events that are lost or out of order, an answer of 500 or no answer while no process was killed, stored amounts that contradict each other (tokens and money of steps, runs and sessions; a run that began or completed twice; a profile lock without a holder), a process or folder that remains, bytes without an owner, and a row without its bytes.',
    ...results.flatMap(getChapter),
  ].join('\n\n')}\n`;
}

function getChapter({ description, killed, acknowledged, facts, books, faults, restoredMs }: KillsResult): string[] {
  const slowest = Math.round(Math.max(0, ...restoredMs));
  const median = Math.round(getMedian(restoredMs));
  return [
    `## ${description}`,
    `Killed: ${[...killed].map(([kind, times]) => `${kind} ${times}`).join(', ')}. The service answered again after ${median} ms (median), ${slowest} ms at most. ${facts} acknowledged writes were read back; the database has ${books.sessions} sessions, ${books.runs} runs and ${books.steps} steps.`,
    table(
      ['Acknowledged', 'Times'],
      [...acknowledged]
        .toSorted(([left], [right]) => left.localeCompare(right))
        .map(([name, times]) => [name, String(times)]),
    ),
    ...(faults.length === 0 ? [] : [`Faults:`, faults.map((fault) => `- ${fault}`).join('\n')]),
  ];
}

function total(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

/** Options of a fleet of several processes. */
interface SeveralProcesses {
  readonly hosts: Hosts;
  /** URL of an empty PostgreSQL database. */
  readonly database: string;
}

/**
 * Time in milliseconds within which the sessions of a dead worker are reclaimed: 30 s (decision 47) and a margin. Until
 * then these sessions are unavailable.
 */
const mendMs = 35_000;

const kinds = ['api', 'worker'] as const;

/** Starts two API processes behind a simple balancer and two workers, on one PostgreSQL. */
async function startFleetOfRoles({ hosts, database }: SeveralProcesses): Promise<Fleet> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-kills-'));
  chmodSync(folder, 0o711);
  writeFileSync(join(folder, 'secret'), randomBytes(32), { mode: 0o600 });
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const forget = onExit(remove);
  const read = postgresReader(database);
  const balancer = await startBalancer();
  const kept = keepLog();
  const place = { folder, hosts, database, publicUrl: balancer.address, onLog: kept.add };
  // Starts the processes one after the other, because the first process creates the tables.
  const members: Member[] = [];
  for (const kind of kinds) for (const at of [0, 1]) members.push(await startMember(place, kind, at));
  const told = (): void => point(balancer, members);
  told();
  return {
    description: `two processes that answer and two that work on PostgreSQL, ${hosts} browsers`,
    mendMs,
    key: killedKey,
    address: () => balancer.address,
    async victims() {
      const browsers = await Promise.all(members.map((one) => one.browsers.victims()));
      return [...members.map((one) => ({ kind: one.kind, pid: one.pid() })), ...browsers.flat()];
    },
    async kill({ pid }: Victim) {
      await Promise.all(members.map((one) => one.browsers.look()));
      const hit = members.find((one) => one.pid() === pid);
      if (hit === undefined) killIfThere(pid);
      else await hit.kill();
    },
    async restore() {
      for (const one of members) await one.restore();
      told();
    },
    orphans: async () => (await Promise.all(members.map((one) => one.browsers.orphans()))).flat(),
    books: () => readBooks(read),
    log: kept.lines,
    async stop() {
      const left = await endAll(members);
      await balancer.close();
      return [...left, ...(await unreferencedBlobs(join(folder, 'blobs'), read))];
    },
    remove() {
      remove();
      forget();
    },
  };
}

/** A process of the fleet, which keeps its URL when it is restarted. */
interface Member {
  readonly kind: (typeof kinds)[number];
  readonly browsers: BrowserWatch;
  readonly address: string;
  pid(): number;
  isRunning(): boolean;
  kill(): Promise<void>;
  /** Restarts the process if it has ended. */
  restore(): Promise<void>;
  stop(): Promise<void>;
}

interface Place extends SeveralProcesses {
  readonly folder: string;
  readonly publicUrl: string;
  readonly onLog: (line: string) => void;
}

async function startMember(place: Place, kind: Member['kind'], at: number): Promise<Member> {
  const name = `${kind}-${at}`;
  const start = (port: string): Promise<ServiceProcess> =>
    startService({
      args: getArgs(place, { kind, name, port }),
      onLog: place.onLog,
    });
  const browsers = watchBrowsers(join(place.folder, name));
  let service = await start('0');
  const { address } = service;
  return {
    kind,
    browsers,
    address,
    pid: () => service.pid,
    isRunning: () => service.isRunning(),
    kill: () => service.kill(),
    async restore() {
      if (service.isRunning()) return;
      browsers.restarted();
      service = await start(new URL(address).port);
    },
    stop: () => service.stop(),
  };
}

function getArgs(
  { folder, hosts, database, publicUrl }: Place,
  { kind, name, port }: { readonly kind: Member['kind']; readonly name: string; readonly port: string },
): string[] {
  const flags: Readonly<Record<string, string>> = {
    role: kind,
    port,
    hosts,
    database,
    data: join(folder, name),
    'secret-file': join(folder, 'secret'),
    blobs: `file://${join(folder, 'blobs')}`,
    'bootstrap-key': killedKey,
    'sessions-max': String(sessionsMax[hosts]),
    // Disables the check of processor load, so that browsers start at once.
    'pressure-max': '100',
    control: '127.0.0.1:0',
    'log-level': 'error',
    ...(kind === 'api' ? { 'public-url': publicUrl } : {}),
  };
  return Object.entries(flags).flatMap(([flag, value]) => [`--${flag}`, value]);
}

function point(balancer: Balancer, members: readonly Member[]): void {
  balancer.point(members.flatMap(({ kind, address }) => (kind === 'api' ? [address] : [])));
}

/**
 * Stops the members, first the API processes, then the workers. Returns a sentence for each member that was not
 * running, and for each process and folder of browsers that remains.
 */
async function endAll(members: readonly Member[]): Promise<string[]> {
  await Promise.all(members.map((one) => one.browsers.look()));
  const ended = members
    .filter((one) => !one.isRunning())
    .map((one) => `the ${one.kind} at ${one.address} had ended by itself`);
  for (const kind of kinds)
    await Promise.all(members.filter((one) => one.kind === kind && one.isRunning()).map((one) => one.stop()));
  return [...ended, ...(await Promise.all(members.map((one) => one.browsers.left()))).flat()];
}
