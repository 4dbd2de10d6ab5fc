import { execFile, execFileSync } from 'node:child_process';
import { chownSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { quickFolder } from '../quick-folder.ts';
import { postgresBin } from './postgres-bin.ts';

const run = promisify(execFile);

/** A PostgreSQL server for tests, on a socket in its own folder. */
export interface PostgresServer {
  /** URL of the database `postgres`. A client of this database can create other databases. */
  readonly address: string;
  /** Ends the server like a crash (`immediate`), or cleanly (`fast`). */
  stop(mode: 'immediate' | 'fast'): Promise<void>;
  start(): Promise<void>;
  /** Ends the server and removes its folder. */
  remove(): Promise<void>;
}

/**
 * When running as root, returns the user and group of the PostgreSQL package, because PostgreSQL refuses root.
 * Otherwise returns an empty object.
 */
function owner(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const readUserId = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: readUserId('-u'), gid: readUserId('-g') };
}

/** Starts a PostgreSQL server without durable writes. `remove` deletes its data. */
export async function startPostgres(): Promise<PostgresServer> {
  const folder = quickFolder('svc-pg-');
  const as = owner();
  if (as.uid !== undefined && as.gid !== undefined) chownSync(folder, as.uid, as.gid);
  const data = join(folder, 'data');
  const program = (name: string, ...flags: readonly string[]): Promise<unknown> =>
    run(join(postgresBin(), name), flags, { ...as, cwd: folder });
  const settings = `-k ${folder} -c listen_addresses= -c fsync=off -c max_connections=200`;
  const log = join(folder, 'log');
  const start = async (): Promise<void> => {
    await program('pg_ctl', 'start', '-w', '-D', data, '-l', log, '-o', settings);
  };
  const stop = async (mode: 'immediate' | 'fast'): Promise<void> => {
    await program('pg_ctl', 'stop', '-w', '-D', data, '-m', mode);
  };
  await program('initdb', '-D', data, '-U', 'svc', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '-N');
  await start();
  return {
    address: `postgres://svc@/postgres?host=${encodeURIComponent(folder)}`,
    start,
    stop,
    async remove() {
      await stop('immediate');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
