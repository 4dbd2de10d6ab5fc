import { dirname } from 'node:path';
import { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { loadOptional } from '#contract/load-optional.ts';
import { sessions } from './migrations/0001-sessions.ts';
import { runsAndBrowsers } from './migrations/0002-runs-and-browsers.ts';
import { workspaces } from './migrations/0003-workspaces.ts';
import { runsOfTheirOwn } from './migrations/0004-runs-of-their-own.ts';
import { profilesAndSettings } from './migrations/0005-profiles-and-settings.ts';
import { sessionFiles } from './migrations/0006-session-files.ts';
import { proxiesAndDownloads } from './migrations/0007-proxies-and-downloads.ts';
import { secretsSharesAndPurges } from './migrations/0008-secrets-shares-and-purges.ts';
import { savedProfiles } from './migrations/0009-saved-profiles.ts';
import { recordings } from './migrations/0010-recordings.ts';
import { viewOnlyAddresses } from './migrations/0011-view-only-addresses.ts';
import { modelMoney } from './migrations/0012-model-money.ts';
import { opinions } from './migrations/0014-opinions.ts';
import { mails } from './migrations/0015-mails.ts';
import { keysAndLimits } from './migrations/0016-keys-and-limits.ts';
import { consoleLogins } from './migrations/0017-console.ts';
import { ratesAndTraces } from './migrations/0020-rates-and-traces.ts';
import { workers } from './migrations/0021-workers.ts';
import { listsOfMany } from './migrations/0022-lists-of-many.ts';
import { totals } from './migrations/0023-totals.ts';
import { requestCounts } from './migrations/0024-request-counts.ts';
import { placesOfRecordings } from './migrations/0026-places-of-recordings.ts';
import { hashedTokens } from './migrations/0027-hashed-tokens.ts';
import { settledBrowsers } from './migrations/0028-settled-browsers.ts';
import { runsOfRecordings } from './migrations/0029-runs-of-recordings.ts';
import { isPostgres } from './is-postgres.ts';
import { NodeSqliteDialect } from './node-sqlite-dialect.ts';
import { type Patience, createPatience, givePatience } from './patience.ts';
import { makePrivateFile, makePrivateFolder } from './private-files.ts';
import type { Tables } from './schema.ts';

/** The query layer over whatever database holds the state. */
export type Database = Kysely<Tables>;

/** How a database is opened. */
export interface DatabaseOptions {
  /** How long its users wait for it when it is away, locked or full. @defaultValue as long as it takes */
  readonly patience?: Patience;
  /** Connections to PostgreSQL that are open at most, at least 2. @defaultValue 10 */
  readonly connectionsMax?: number;
}

const usualConnections = 10;

/**
 * Opens a database and brings its tables up to date: a SQLite file (`:memory:` for none), whose folder is made, or a PostgreSQL database at
 * an address such as `postgres://user:password@host/name`.
 */
export async function openDatabase(
  address: string,
  { patience = createPatience(), connectionsMax = usualConnections }: DatabaseOptions = {},
): Promise<Database> {
  if (isPostgres(address)) {
    // Loaded only where there is one.
    const { openPostgres } = await loadOptional('database', () => import('./postgres/index.ts'));
    return openPostgres<Tables>(address, { patience, connectionsMax }, (db) => {
      givePatience(db, patience);
      return migrate(db);
    });
  }
  if (address !== ':memory:') {
    makePrivateFolder(dirname(address));
    makePrivateFile(address);
  }
  const db = new Kysely<Tables>({ dialect: new NodeSqliteDialect(address, patience) });
  givePatience(db, patience);
  await migrate(db);
  return db;
}

async function migrate(db: Database): Promise<void> {
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
        }),
    },
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw new Error('cannot bring the database up to date', { cause: error });
}
