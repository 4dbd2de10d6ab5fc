import { dirname } from 'node:path';
import { Kysely, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import { loadOptional } from '#contract/load-optional.ts';
import {
  profilesAndSettings,
  proxiesAndDownloads,
  runsAndBrowsers,
  runsOfTheirOwn,
  secretsSharesAndPurges,
  sessionFiles,
  sessions,
  workspaces,
} from './migrations/0001-to-0008.ts';
import {
  consoleLogins,
  keysAndLimits,
  mails,
  modelMoney,
  opinions,
  recordings,
  savedProfiles,
  viewOnlyAddresses,
} from './migrations/0009-to-0017.ts';
import {
  hashedTokens,
  listsOfMany,
  placesOfRecordings,
  ratesAndTraces,
  requestCounts,
  runsOfRecordings,
  settledBrowsers,
  totals,
  workers,
} from './migrations/0020-to-0029.ts';
import {
  integrations,
  keysAndSuggestions,
  schedules,
  shortTokenHashes,
  workersOfRuns,
} from './migrations/0030-to-0034.ts';
import { isPostgres } from './storage-addresses.ts';
import { NodeSqliteDialect } from './sqlite/dialect.ts';
import {
  type StorageDeadline,
  createStorageDeadline,
  DatabaseLocked,
  getStorageDeadline,
  setStorageDeadline,
  waitToTryAgain,
} from './storage-deadline.ts';
import { makePrivateFile, makePrivateFolder } from './data-folder.ts';
import { asDatabase, type Database } from './database.ts';
import type { Tables } from './tables/tables.ts';

/** Options for opening a database. */
export interface DatabaseOptions {
  /** Deadline for database operations while the database is unavailable, locked or full. @defaultValue no limit */
  readonly storageDeadline?: StorageDeadline;
  /** Maximum number of open PostgreSQL connections, at least 2. @defaultValue 10 */
  readonly connectionsMax?: number;
}

const usualConnections = 10;

/**
 * Opens a database and runs pending migrations. The address is a SQLite file, `:memory:`, or a PostgreSQL URL such as
 * `postgres://user:password@host/name`. Creates a missing SQLite file and its folder. Rejects when a migration fails.
 */
export async function openDatabase(
  address: string,
  { storageDeadline = createStorageDeadline(), connectionsMax = usualConnections }: DatabaseOptions = {},
): Promise<Database> {
  if (isPostgres(address)) {
    const { openPostgres } = await loadOptional('database', () => import('./postgres/index.ts'));
    const postgres = await openPostgres<Tables>(address, { storageDeadline, connectionsMax }, (db) => {
      setStorageDeadline(db, storageDeadline);
      return migrate(db);
    });
    return asDatabase(postgres);
  }
  if (address !== ':memory:') {
    makePrivateFolder(dirname(address));
    makePrivateFile(address);
  }
  const db = new Kysely<Tables>({ dialect: new NodeSqliteDialect(address, storageDeadline) });
  setStorageDeadline(db, storageDeadline);
  await (address === ':memory:' ? createMemoryTables(db) : migrate(db));
  return asDatabase(db);
}

/**
 * SQL statements that create all tables and the records of the applied migrations; undefined before the first in-memory
 * database.
 */
let memoryTables: readonly string[] | undefined;

/**
 * Creates the tables of an in-memory database. For the first database of the process, runs the migrations, which take
 * about 80 ms. For later databases, runs the statements that `listStatements` has returned for the first.
 */
async function createMemoryTables(db: Kysely<Tables>): Promise<void> {
  if (memoryTables === undefined) {
    await migrate(db);
    memoryTables = await listStatements(db);
    return;
  }
  for (const statement of memoryTables) await sql.raw(statement).execute(db);
}

/**
 * Returns SQL statements that create the schema of a migrated SQLite database, and the records of its applied
 * migrations.
 */
async function listStatements(db: Kysely<Tables>): Promise<string[]> {
  const schema = await sql<{ sql: string }>`
    select sql from sqlite_master where sql is not null and name not like 'sqlite_%' order by rowid`.execute(db);
  const rows = await sql<{ sql: string }>`
    select format('insert into kysely_migration (name, timestamp) values (%Q, %Q)', name, timestamp) as sql
      from kysely_migration
    union all
    select format('insert into kysely_migration_lock (id, is_locked) values (%Q, %Q)', id, is_locked)
      from kysely_migration_lock`.execute(db);
  return [...schema.rows, ...rows.rows].map((row) => row.sql);
}

/** Executes a trivial query; rejects when the database does not answer. */
export async function pingDatabase(db: Database): Promise<void> {
  await sql`select 1`.execute(db);
}

/** Returns the names of the migrations that were applied to a database. */
export async function listMigrations(db: Database): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  return rows.map(({ name }) => name);
}

/** Runs the pending migrations. Waits while another program holds a lock of the file. */
async function migrate(db: Kysely<Tables>): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: {
      getMigrations: () =>
        Promise.resolve({
          '0001-sessions': sessions,
          '0002-runs-and-browsers': runsAndBrowsers,
          '0003-workspaces': workspaces,
          '0004-runs-of-their-own': runsOfTheirOwn,
          '0005-profiles-and-settings': profilesAndSettings,
          '0006-session-files': sessionFiles,
          '0007-proxies-and-downloads': proxiesAndDownloads,
          '0008-secrets-shares-and-purges': secretsSharesAndPurges,
          '0009-saved-profiles': savedProfiles,
          '0010-recordings': recordings,
          '0011-view-only-addresses': viewOnlyAddresses,
          '0012-model-money': modelMoney,
          '0014-opinions': opinions,
          '0015-mails': mails,
          '0016-keys-and-limits': keysAndLimits,
          '0017-console': consoleLogins,
          '0020-rates-and-traces': ratesAndTraces,
          '0021-workers': workers,
          '0022-lists-of-many': listsOfMany,
          '0023-totals': totals,
          '0024-request-counts': requestCounts,
          '0026-places-of-recordings': placesOfRecordings,
          '0027-hashed-tokens': hashedTokens,
          '0028-settled-browsers': settledBrowsers,
          '0029-runs-of-recordings': runsOfRecordings,
          '0030-workers-of-runs': workersOfRuns,
          '0031-schedules': schedules,
          '0032-keys-and-suggestions': keysAndSuggestions,
          '0033-integrations': integrations,
          '0034-short-token-hashes': shortTokenHashes,
        }),
    },
  });
  for (;;) {
    const { error } = await migrator.migrateToLatest();
    if (error === undefined) return;
    if (!(error instanceof DatabaseLocked))
      throw new Error('a migration of the database failed: correct the cause and start again', { cause: error });
    await waitToTryAgain(getStorageDeadline(db), error);
  }
}
