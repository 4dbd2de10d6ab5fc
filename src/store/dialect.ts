import { type Kysely, PostgresAdapter } from 'kysely';

/** Returns the dialect of a database or transaction. */
export function getDialect<Schema>(db: Pick<Kysely<Schema>, 'getExecutor'>): 'sqlite' | 'postgres' {
  return db.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite';
}
