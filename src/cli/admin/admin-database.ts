import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Database, openDatabase } from '#store/database.ts';
import { createStorageDeadline, DatabaseLocked, StorageFull } from '#store/storage-deadline.ts';
import { exitCodes, type EndSignal, endSignals } from '../process-end.ts';

/** Where a service keeps its state. */
export interface Place {
  /** Data folder of the service, which may be running. */
  readonly data: string;
  /** Address of its PostgreSQL database; absent for the file in the folder. */
  readonly database?: string;
}

/**
 * Opens the database of a service, running or not, for some work. Rejects with an {@link AdminFault} when it is missing
 * or unreachable.
 */
export async function withDatabase<Result>(place: Place, work: (db: Database) => Promise<Result>): Promise<Result> {
  const db = place.database === undefined ? await openFile(place.data) : await openAddress(place.database);
  try {
    return await work(db);
  } catch (error) {
    throw asFault(error);
  } finally {
    await db.destroy();
  }
}

/** How long a command waits for another program that holds a lock of the database, in milliseconds. */
const lockedMs = 10_000;

function asFault(error: unknown): unknown {
  if (error instanceof DatabaseLocked)
    return new AdminFault(
      `found the database locked by another program for ${lockedMs / 1_000} s: end that program, or try again when it has finished`,
      { cause: error },
    );
  if (error instanceof StorageFull)
    return new AdminFault('found no room left for the database: free disk space and try again', { cause: error });
  return error;
}

async function openFile(data: string): Promise<Database> {
  const file = join(resolve(data), 'svc.sqlite');
  if (!existsSync(file))
    throw new AdminFault(`found no ${file}: name the data folder of a service that was started once, with --data`);
  const patience = createStorageDeadline();
  patience.end(lockedMs);
  try {
    return await openDatabase(file, { patience });
  } catch (error) {
    throw asFault(error);
  }
}

async function openAddress(address: string): Promise<Database> {
  try {
    return await openDatabase(address);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw new AdminFault(`found no database that can be used at --database: ${error.message}`, { cause: error });
  }
}

/** The id of the project of that id or name, or of the only one there is. Rejects with an {@link AdminFault} that lists them all. */
export async function chooseProject(db: Database, wanted: string | undefined): Promise<string> {
  const projects = await db.selectFrom('projects').select(['id', 'name']).orderBy('created_at').execute();
  const meant = projects.filter(({ id, name }) => wanted === undefined || id === wanted || name === wanted);
  const [only] = meant;
  if (only !== undefined && meant.length === 1) return only.id;
  const listed = projects.map(({ id, name }) => `\n  ${id}  ${name}`).join('');
  const found = wanted === undefined ? `${projects.length} projects` : `${meant.length} projects called ${wanted}`;
  throw new AdminFault(`found ${found}, expected one: name it with --project${listed}`);
}

/** What is of a process here: its signals and its end. */
export interface Interruptible {
  on(signal: EndSignal, listener: () => void): unknown;
  off(signal: EndSignal, listener: () => void): unknown;
  exit(code: number): unknown;
}

/**
 * Does work that fills a folder; Ctrl-C, or a terminal that is closed, takes back what it has written until then and ends the process. A folder that held something before
 * is left alone: the work refuses it.
 */
export async function takingBack<Result>(
  folder: string,
  work: () => Promise<Result>,
  host: Interruptible = process,
): Promise<Result> {
  const existed = existsSync(folder);
  const wasEmpty = !existed || (statSync(folder).isDirectory() && readdirSync(folder).length === 0);
  const takeBack = (): void => {
    if (wasEmpty) empty(folder, existed);
    host.exit(exitCodes.interrupted);
  };
  for (const signal of endSignals) host.on(signal, takeBack);
  try {
    return await work();
  } finally {
    for (const signal of endSignals) host.off(signal, takeBack);
  }
}

function empty(folder: string, keep: boolean): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
  if (!keep) rmSync(folder, { recursive: true, force: true });
}

/** An error of an administrative command with a readable message. */
export class AdminFault extends Error {
  override readonly name = 'AdminFault';
}
