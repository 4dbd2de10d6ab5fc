import type { Kysely } from 'kysely';
import type { Executor } from './executor.ts';
import type { Tables } from './tables/tables.ts';

declare const opened: unique symbol;

/**
 * An open SQLite or PostgreSQL database, behind the query builder Kysely. The type hides the functions of Kysely that
 * begin transactions; `inTransaction` begins a transaction with its scope. A transaction has another type, so that no
 * transaction begins inside another.
 */
export type Database = Executor & { readonly [opened]: true };

/**
 * Returns a Kysely instance as a {@link Database}. It is the same object; its new type hides the functions that begin
 * transactions.
 */
export function asDatabase(db: Kysely<Tables>): Database {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the only place that makes a database of the query builder
  return db as Executor as Database;
}

/** Returns a database as its Kysely instance, which can begin transactions; for `inTransaction` and for migrations. */
export function asKysely(db: Database): Kysely<Tables> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- asDatabase makes every database, and hides these functions
  return db as Executor as Kysely<Tables>;
}
