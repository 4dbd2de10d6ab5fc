import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onExit, type ServiceProcess, startService } from '../../tools/conformance/svc-process.ts';
import { watchBrowsers } from './browser-watch.ts';
import { keepLog } from './explained.ts';
import { type Fleet, type Victim, type Hosts, killedKey, sessionsMax, killIfThere } from './fleet.ts';
import { unreferencedBlobs, postgresReader, sqliteReader } from './table-reader.ts';
import { readBooks } from './read-books.ts';

/** Options of a fleet of one process. */
export interface OneProcess {
  readonly hosts: Hosts;
  /** URL of an empty PostgreSQL database; null for SQLite. */
  readonly database: string | null;
  /** Parent of the data folder of the fleet. @defaultValue the folder for temporary files */
  readonly parent?: string;
}

/** A fleet of one process with a control URL. */
export interface OneProcessFleet extends Fleet {
  readonly dataFolder: string;
  /** Returns the control URL of the process. */
  readonly control: () => string;
}

/** Starts a fleet of one process. */
export async function startOneProcessFleet({
  hosts,
  database,
  parent = tmpdir(),
}: OneProcess): Promise<OneProcessFleet> {
  const folder = mkdtempSync(join(parent, 'svc-kills-'));
  chmodSync(folder, 0o711);
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const forget = onExit(remove);
  const read = database === null ? sqliteReader(folder) : postgresReader(database);
  const kept = keepLog();
  const start = (): Promise<ServiceProcess> =>
    startService({ args: getArgs(folder, { hosts, database }), onLog: kept.add });
  const browsers = watchBrowsers(folder);
  let service = await start();
  return {
    description: `one process on ${database === null ? 'SQLite' : 'PostgreSQL'}, ${hosts} browsers`,
    mendMs: 0,
    key: killedKey,
    dataFolder: folder,
    control: () => service.control,
    address: () => service.address,
    victims: async () => [{ kind: 'service', pid: service.pid }, ...(await browsers.victims())],
    async kill({ kind, pid }: Victim) {
      await browsers.look();
      if (kind === 'service') return service.kill();
      killIfThere(pid);
    },
    async restore() {
      if (service.isRunning()) return;
      browsers.restarted();
      service = await start();
    },
    orphans: () => browsers.orphans(),
    books: () => readBooks(read),
    log: kept.lines,
    async stop() {
      await browsers.look();
      await service.stop();
      return [...(await browsers.left()), ...(await unreferencedBlobs(join(folder, 'blobs'), read))];
    },
    remove() {
      remove();
      forget();
    },
  };
}

function getArgs(folder: string, { hosts, database }: OneProcess): string[] {
  // `--pressure-max 100` disables the check of processor load, so that browsers start at once.
  const flags = ['--port', '0', '--data', folder, '--hosts', hosts, '--bootstrap-key', killedKey];
  return [
    ...flags,
    '--pressure-max',
    '100',
    '--sessions-max',
    String(sessionsMax[hosts]),
    '--control',
    '127.0.0.1:0',
    '--log-level',
    'error',
    ...(database === null ? [] : ['--database', database]),
  ];
}
