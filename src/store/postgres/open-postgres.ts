import { Kysely, PostgresAdapter, PostgresIntrospector } from 'kysely';
import { Pool } from 'pg';
import type { Patience } from '../patience.ts';
import { columnTypes } from './column-types.ts';
import { createLinks } from './links.ts';
import { lockFor, unlockFor } from './locks.ts';
import { prepareMarks } from './marks.ts';
import { SqliteLikeCompiler } from './postgres-compiler.ts';
import { createPostgresDriver } from './postgres-driver.ts';

/** How a database is opened. */
export interface PostgresOptions {
  /** Connections that are open at most. */
  readonly connectionsMax: number;
  readonly patience: Patience;
}

/** For how long a transaction may do nothing: a process that hangs must not hold up all others for ever. */
const stuckMs = 30_000;

/** How long a connection may take to be made or to become free. */
const connectMs = 10_000;

/** The migrations are kept apart from each other below, on a connection of their own. */
class Adapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

/**
 * Opens the database at an address such as `postgres://user:password@host/name`, with `migrate` to bring its tables up to date, which no two
 * processes do at once. Rejects when it cannot be reached.
 */
export async function openPostgres<Tables>(
  address: string,
  { connectionsMax, patience }: PostgresOptions,
  migrate: (db: Kysely<Tables>) => Promise<void>,
): Promise<Kysely<Tables>> {
  const pool = new Pool({
    connectionString: address,
    max: connectionsMax,
    types: columnTypes,
    connectionTimeoutMillis: connectMs,
    idle_in_transaction_session_timeout: stuckMs,
    keepAlive: true,
    application_name: 'svc',
  });
  // A connection that is lost is told to whoever uses it, and the pool forgets one that nobody uses; both say it as events too.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new Adapter(),
      createDriver: () => createPostgresDriver(createLinks(pool, patience)),
      createIntrospector: (of) => new PostgresIntrospector(of),
      createQueryCompiler: () => new SqliteLikeCompiler(),
    },
  });
  try {
    await alone(pool, () => migrate(db));
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return db;
}

async function alone(pool: Pool, work: () => Promise<void>): Promise<void> {
  const client = await pool.connect();
  try {
    await lockFor(client, 'migrations');
    await prepareMarks(client);
    await work();
    await unlockFor(client, 'migrations');
  } finally {
    client.release();
  }
}
