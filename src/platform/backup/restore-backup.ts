import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { copyHashed, fillEmptyFolder, syncFolder } from './files.ts';
import { type BackedUpFile, BackupFault, type Manifest, databaseFile, readManifest } from './manifest.ts';
import { loadOptional } from '#contract/load-optional.ts';
import { listMigrations, openDatabase } from '#store/open-database.ts';
import { copyToWriter } from '#store/sqlite/copy-file.ts';
import { lockFolder, makePrivateFolder } from '#store/data-folder.ts';

/** Options of {@link restoreBackup}. */
export interface RestoreOptions {
  readonly folder: string;
  /** Target folder: empty, or not existing. */
  readonly dataFolder: string;
  /**
   * Address of an empty PostgreSQL database for the backup's tables; undefined for a SQLite file in the target folder.
   */
  readonly database?: string;
}

/**
 * Creates a data folder from a backup and verifies each file against the manifest. Rejects with a {@link BackupFault}
 * for an incomplete backup, one of a newer release, and a target that is not empty. The target then stays empty.
 */
export async function restoreBackup({ folder, dataFolder, database }: RestoreOptions): Promise<Manifest> {
  const manifest = await readManifest(folder);
  await refuseNewer(manifest);
  return fillEmptyFolder(dataFolder, async () => {
    // The lock prevents a service from starting on an incomplete folder.
    const unlock = lockFolder(dataFolder);
    try {
      // The database is copied last: without it a service does not accept the folder.
      const files = manifest.files.toSorted((one, other) => rank(one) - rank(other));
      for (const file of files) await restore(file, folder, dataFolder);
      if (database !== undefined) await moveToPostgres(join(dataFolder, databaseFile), database);
      for (const below of new Set(files.map(({ path }) => dirname(path)))) await syncFolder(join(dataFolder, below));
    } finally {
      unlock();
    }
    return manifest;
  });
}

/**
 * Moves the content of the SQLite file to the PostgreSQL database and deletes the file, so that no service starts on a
 * part of it.
 */
async function moveToPostgres(file: string, address: string): Promise<void> {
  const { lockDatabase } = await loadOptional('database', () => import('#store/postgres/index.ts'));
  const lock = await lockDatabase(address, () => undefined);
  try {
    await copyToPostgres(file, address);
  } finally {
    await lock.release();
  }
  for (const ending of ['', '-wal', '-shm']) await rm(`${file}${ending}`, { force: true });
}

function rank({ path }: BackedUpFile): number {
  return path === databaseFile ? 1 : 0;
}

async function restore({ path, size, sha256 }: BackedUpFile, folder: string, dataFolder: string): Promise<void> {
  const target = join(dataFolder, path);
  makePrivateFolder(dirname(target));
  const found = await copyHashed(join(folder, path), target);
  if (found === null) throw new BackupFault(`found no ${path} in ${folder}, expected what its manifest lists`);
  if (found.size === size && found.sha256 === sha256) return;
  throw new BackupFault(
    `found ${path} with ${found.size} bytes and SHA-256 ${found.sha256}, expected ${size} and ${sha256} as in the manifest: it was changed since`,
  );
}

/** Refuses a backup of a newer release: a release can migrate older tables only. */
async function refuseNewer({ migrations }: Manifest): Promise<void> {
  const known = await knownMigrations();
  const unknown = migrations.filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  throw new BackupFault(
    `found tables of a newer release (${unknown.join(', ')}), expected those of this one or an older one: restore it with that release`,
  );
}

/** Returns the names of this release's migrations, read from a new database. */
async function knownMigrations(): Promise<ReadonlySet<string>> {
  const db = await openDatabase(':memory:');
  try {
    return new Set(await listMigrations(db));
  } finally {
    await db.destroy();
  }
}

/**
 * Copies the rows of a SQLite file to an empty PostgreSQL database in one transaction, after migrating both. Rejects
 * with a {@link BackupFault} for a database with rows.
 */
async function copyToPostgres(file: string, address: string): Promise<void> {
  for (const database of [file, address]) await (await openDatabase(database)).destroy();
  const { fillPostgres } = await loadOptional('database', () => import('#store/postgres/index.ts'));
  await fillPostgres(address, (writer) => copyToWriter(file, writer, refuseRows));
}

function refuseRows(table: string): never {
  throw new BackupFault(`found rows in ${table}, expected a database that no service has used`);
}
