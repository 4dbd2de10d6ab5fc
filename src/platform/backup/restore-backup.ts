import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { loadOptional } from '#contract/load-optional.ts';
import { lockFolder, makePrivateFolder } from '#store/data-folder.ts';
import { openDatabase } from '#store/database.ts';
import type { ColumnValue, PostgresWriter, Row } from '#store/postgres/index.ts';
import { copyHashed, fillEmptyFolder, syncFolder } from './files.ts';
import { type BackedUpFile, BackupFault, copiedTables, databaseFile, type Manifest, readManifest } from './manifest.ts';

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
 * for an incomplete backup, one of a newer release, and a target that is not empty; then the target stays empty.
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
    const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
    return new Set(rows.map(({ name }) => name));
  } finally {
    await db.destroy();
  }
}

const rowsAtOnce = 1_000;

/**
 * Copies the content of a SQLite file to an empty PostgreSQL database in one transaction, after migrating the file.
 * Rejects with a {@link BackupFault} for a database that is not empty.
 */
async function copyToPostgres(file: string, address: string): Promise<void> {
  for (const database of [file, address]) await (await openDatabase(database)).destroy();
  const { fillPostgres } = await loadOptional('database', () => import('#store/postgres/index.ts'));
  const source = new DatabaseSync(file, { readOnly: true });
  try {
    await fillPostgres(address, async (writer) => {
      const tables = copiedTables(source);
      for (const table of tables)
        if (!(await writer.isEmpty(table)))
          throw new BackupFault(`found rows in ${table}, expected a database that no service has used`);
      for (const table of tables) await copyTable(source, writer, table);
    });
  } finally {
    source.close();
  }
}

async function copyTable(source: DatabaseSync, writer: PostgresWriter, table: string): Promise<void> {
  let rows: Row[] = [];
  for (const row of source.prepare(`select * from "${table}"`).iterate()) {
    rows.push(Object.fromEntries(Object.entries(row).map(([name, value]) => [name, valueOf(value)])));
    if (rows.length < rowsAtOnce) continue;
    await writer.write(table, rows);
    rows = [];
  }
  await writer.write(table, rows);
  const given = source.prepare('select seq from sqlite_sequence where name = ?').get(table);
  if (given !== undefined) await writer.numberBehind(table, Number(given['seq']));
}

function valueOf(value: unknown): ColumnValue {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value;
  throw new Error(`found a ${typeof value} in a column, expected a text or a number`);
}
