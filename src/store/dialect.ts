import { type Kysely, PostgresAdapter } from 'kysely';

/** Returns the dialect of a database or transaction. */
export function dialectOf<Tables>(db: Pick<Kysely<Tables>, 'getExecutor'>): 'sqlite' | 'postgres' {
  return db.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite';
}
