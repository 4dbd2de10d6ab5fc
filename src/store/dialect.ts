import { type Kysely, PostgresAdapter } from 'kysely';

/** What kind of database it is, or a transaction is one of. */
export function dialectOf<Tables>(db: Pick<Kysely<Tables>, 'getExecutor'>): 'sqlite' | 'postgres' {
  return db.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite';
}

/** Whether the address of a database is one of PostgreSQL; else it is a file. */
export function isPostgres(address: string): boolean {
  return /^postgres(ql)?:\/\//.test(address);
}
