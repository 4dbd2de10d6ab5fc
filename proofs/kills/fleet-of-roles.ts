import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Balancer, startBalancer } from '../../test/support/scale/start-balancer.ts';
import { onExit, type ServiceProcess, startService } from '../service/service-process.ts';
import { type BrowserWatch, watchBrowsers } from './browser-watch.ts';
import { keepLog } from './explained.ts';
import { type Fleet, type Victim, type Hosts, killedKey, sessionsMax, killIfThere } from './fleet.ts';
import { unreferencedBlobs } from './unreferenced-blobs.ts';
import { readBooks } from './read-books.ts';
import { postgresReader } from './table-reader.ts';

/** Options of a fleet of several processes. */
export interface SeveralProcesses {
  readonly hosts: Hosts;
  /** URL of an empty PostgreSQL database. */
  readonly database: string;
}

/**
 * Time until the sessions of a dead worker are reclaimed, in milliseconds (30 s, decision 47); until then they are
 * unavailable.
 */
const mendMs = 35_000;

const kinds = ['api', 'worker'] as const;

/** Starts two API processes behind a simple balancer and two workers, on one PostgreSQL. */
export async function startFleetOfRoles({ hosts, database }: SeveralProcesses): Promise<Fleet> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-kills-'));
  chmodSync(folder, 0o711);
  writeFileSync(join(folder, 'secret'), randomBytes(32), { mode: 0o600 });
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const forget = onExit(remove);
  const read = postgresReader(database);
  const balancer = await startBalancer();
  const kept = keepLog();
  const place = { folder, hosts, database, publicUrl: balancer.address, onLog: kept.add };
  // One after the other, because the first creates the tables.
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
  /** Restarts it if it has ended. */
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

/** Stops the members in order and returns what remains of their browsers. */
async function endAll(members: readonly Member[]): Promise<string[]> {
  await Promise.all(members.map((one) => one.browsers.look()));
  const ended = members
    .filter((one) => !one.isRunning())
    .map((one) => `the ${one.kind} at ${one.address} had ended by itself`);
  for (const kind of kinds)
    await Promise.all(members.filter((one) => one.kind === kind && one.isRunning()).map((one) => one.stop()));
  return [...ended, ...(await Promise.all(members.map((one) => one.browsers.left()))).flat()];
}
