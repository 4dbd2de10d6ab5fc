import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listProcesses } from '../../../src/backend/browsers/isolation/process-status.ts';
import { readOwner } from '../../../src/backend/browsers/launch/owner-file.ts';
import { onExit } from '../service/on-exit.ts';
import { type ServiceProcess, startService } from '../service/service-process.ts';
import type { Fleet, Victim } from './fleet.ts';
import { looseFiles } from './loose-files.ts';
import { readBooks } from './read-books.ts';
import { postgresReader, sqliteReader } from './table-reader.ts';

const key = 'svc_killed';

/** How browsers of a fleet are made. */
export type Hosts = 'simulated' | 'local';

/** What may live at once: more real browsers than a machine bears would only queue, and their tasks with them. */
const sessionsMax: Readonly<Record<Hosts, string>> = { simulated: '200', local: '8' };

/** What a fleet of one process is made of. */
export interface OneProcess {
  readonly hosts: Hosts;
  /** Address of an empty PostgreSQL database; null for SQLite. */
  readonly database: string | null;
}

/** One process with everything in it. */
export async function startOneProcessFleet({ hosts, database }: OneProcess): Promise<Fleet> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-kills-'));
  chmodSync(folder, 0o711);
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const forget = onExit(remove);
  const read = database === null ? sqliteReader(folder) : postgresReader(database);
  const start = (): Promise<ServiceProcess> => startService({ args: argsOf(folder, { hosts, database }) });
  const directory = join(folder, 'browsers');
  let service = await start();
  /** Main processes of browsers of the service that runs, and of those before it. */
  let [current, earlier] = [new Set<number>(), new Set<number>()];
  const browsers = async (): Promise<number[]> => {
    const found = await ownedBrowsers(directory);
    for (const pid of found) current.add(pid);
    return found;
  };
  return {
    description: `one process on ${database === null ? 'SQLite' : 'PostgreSQL'}, ${hosts} browsers`,
    key,
    address: () => service.address,
    async victims() {
      const groups = new Set(await browsers());
      const processes = groups.size === 0 ? [] : await listProcesses();
      const ofBrowsers = processes.filter(({ group }) => groups.has(group));
      return [{ kind: 'service', pid: service.pid }, ...ofBrowsers.map(({ pid }) => ({ kind: 'chromium', pid }))];
    },
    async kill({ kind, pid }: Victim) {
      await browsers();
      if (kind === 'service') return service.kill();
      killIfThere(pid);
    },
    async restore() {
      if (service.isRunning()) return;
      [earlier, current] = [new Set([...earlier, ...current]), new Set()];
      service = await start();
    },
    async orphans() {
      const left = earlier.size === 0 ? [] : await listProcesses();
      return left
        .filter(({ group }) => earlier.has(group))
        .map(({ pid }) => `process ${pid} of an earlier service is left`);
    },
    books: () => readBooks(read),
    async stop() {
      await browsers();
      await service.stop();
      const groups = new Set([...earlier, ...current]);
      const processes = (await listProcesses()).filter(({ group }) => groups.has(group));
      return [
        ...processes.map(({ pid }) => `process ${pid} is left after the service`),
        ...foldersIn(directory).map((name) => `folder ${name} is left after the service`),
        ...(await looseFiles(folder, read)),
      ];
    },
    remove() {
      remove();
      forget();
    },
  };
}

function argsOf(folder: string, { hosts, database }: OneProcess): string[] {
  // What else the machine does is not meant here: browsers start at once.
  const flags = ['--port', '0', '--data', folder, '--hosts', hosts, '--bootstrap-key', key, '--pressure-max', '100'];
  return [
    ...flags,
    '--sessions-max',
    sessionsMax[hosts],
    '--control',
    '127.0.0.1:0',
    '--log-level',
    'error',
    ...(database === null ? [] : ['--database', database]),
  ];
}

/** The main processes of the browsers that have a folder now. */
async function ownedBrowsers(directory: string): Promise<number[]> {
  const owners = await Promise.all(foldersIn(directory).map((name) => readOwner(join(directory, name, 'owner.json'))));
  return owners.flatMap((owner) => owner?.browser?.pid ?? []);
}

function foldersIn(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory) : [];
}

/** Kills a process that may have ended by itself. */
function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
