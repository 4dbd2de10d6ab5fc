import { type Kysely, PostgresAdapter } from 'kysely';
import type { Tables } from './tables/tables.ts';

/**
 * Runs queries: an open database, or a transaction in it. A function that takes an executor can be called inside a
 * transaction; one that takes a `Database` may begin its own.
 */
export type Executor = Omit<Kysely<Tables>, 'transaction' | 'startTransaction' | 'connection'>;

/** Returns the dialect of a database or transaction. */
export function dialectOf<Schema>(db: Pick<Kysely<Schema>, 'getExecutor'>): 'sqlite' | 'postgres' {
  return db.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite';
}
