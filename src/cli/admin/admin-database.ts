import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openDatabase } from '#store/open-database.ts';
import { listProjects } from '#store/queries/projects.ts';
import { createStorageDeadline, DatabaseLocked, StorageFull } from '#store/storage-deadline.ts';
import { exitCodes, type EndSignal, endSignals } from '../process-end.ts';
import { sealingSecret } from '#store/data-folder.ts';
import { type ProviderKeys, createProviderKeys } from '#accounts/provider-keys.ts';
import { createVault } from '#lib/vault.ts';
import { readSecrets } from '../serve/read-files.ts';
import type { Executor } from '#store/executor.ts';
import type { Database } from '#store/database.ts';

/** Location of a service's database. */
export interface DatabaseLocation {
  /** Data folder of the service, which may be running. */
  readonly data: string;
  /** Address of the service's PostgreSQL database; undefined for the SQLite file in the data folder. */
  readonly database?: string;
}

/**
 * Runs work with the database of a service, which may be running. Rejects with an {@link AdminFault} when the database
 * is missing, unreachable or locked, or has no free disk space.
 */
export async function withDatabase<Result>(
  place: DatabaseLocation,
  work: (db: Database) => Promise<Result>,
): Promise<Result> {
  const db = place.database === undefined ? await openFile(place.data) : await openAddress(place.database);
  try {
    return await work(db);
  } catch (error) {
    throw asFault(error);
  } finally {
    await db.destroy();
  }
}

/** Timeout for a database lock of another program, in milliseconds. */
const lockedMs = 10_000;

function asFault(error: unknown): unknown {
  if (error instanceof DatabaseLocked)
    return new AdminFault(
      `found the database locked by another program for ${lockedMs / 1_000} s. Next: end that program, or try again when it has finished`,
      { cause: error },
    );
  if (error instanceof StorageFull)
    return new AdminFault('found no free space for the database. Next: free disk space and try again', {
      cause: error,
    });
  return error;
}

async function openFile(data: string): Promise<Database> {
  const file = join(resolve(data), 'svc.sqlite');
  if (!existsSync(file))
    throw new AdminFault(
      `found no ${file}. Expected the data folder of a service that was started once. Next: name it with --data`,
    );
  const storageDeadline = createStorageDeadline();
  storageDeadline.end(lockedMs);
  try {
    return await openDatabase(file, { storageDeadline });
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

/**
 * Returns the id of the project whose id or name is `wanted`, or of the only project if `wanted` is undefined. Rejects
 * with an {@link AdminFault} that lists all projects unless exactly one project matches.
 */
export async function chooseProject(db: Executor, wanted: string | undefined): Promise<string> {
  const projects = await listProjects(db);
  const meant = projects.filter(({ id, name }) => wanted === undefined || id === wanted || name === wanted);
  const [only] = meant;
  if (only !== undefined && meant.length === 1) return only.id;
  const listed = projects.map(({ id, name }) => `\n  ${id}  ${name}`).join('');
  const found = wanted === undefined ? `${projects.length} projects` : `${meant.length} projects called ${wanted}`;
  throw new AdminFault(`found ${found}, expected one: name it with --project${listed}`);
}

/** Functions of the process for signals and exit, which tests replace. */
export interface Interruptible {
  on(signal: EndSignal, listener: () => void): unknown;
  off(signal: EndSignal, listener: () => void): unknown;
  exit(code: number): unknown;
}

/**
 * Runs work that fills a folder. Ctrl-C, SIGTERM or a closed terminal removes the written files and ends the process.
 * Files of a folder that was not empty before are never removed, because the work refuses such a folder.
 */
export async function removingOnInterrupt<Result>(
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

/** Location of the database, and the project whose provider keys are managed. */
export interface ProviderKeyLocation extends DatabaseLocation {
  /** Id or name of the project. @defaultValue the only project */
  readonly project?: string;
  /** File of the secret that all processes of the service share. @defaultValue the secret of the data folder */
  readonly secretFile?: string;
}

/**
 * Runs work with the provider keys of a service and the id of the chosen project. Rejects with an AdminFault when the
 * database or the secret file cannot be read, or not exactly one project matches.
 */
export async function withProviderKeys<Result>(
  { project, secretFile, ...place }: ProviderKeyLocation,
  work: (keys: ProviderKeys, projectId: string) => Promise<Result>,
): Promise<Result> {
  const shared = secretFile === undefined ? null : await sharedSecret(secretFile);
  return withDatabase(place, async (db) => {
    // `sealingSecret` creates a missing secret. It runs after the database was opened, so a misspelt folder gets none.
    const vault = createVault(shared ?? sealingSecret(resolve(place.data)));
    return work(createProviderKeys(db, vault), await chooseProject(db, project));
  });
}

async function sharedSecret(file: string): Promise<Uint8Array> {
  try {
    return (await readSecrets(file)).sealing;
  } catch (error) {
    throw error instanceof Error ? new AdminFault(error.message, { cause: error }) : error;
  }
}
