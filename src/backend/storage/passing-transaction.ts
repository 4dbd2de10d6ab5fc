import { type Transaction, sql } from 'kysely';
import type { Database } from './database.ts';
import type { Tables } from './schema.ts';

/**
 * A transaction whose writes nobody needs after a power cut: it does not wait for the disk. What other transactions have written
 * is as safe as ever, and a process that ends alone loses nothing.
 */
export function passingTransaction<Result>(
  db: Database,
  work: (trx: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  // The connection is nobody else's until it waits for the disk again.
  return db.connection().execute(async (connection) => {
    await sql`pragma synchronous = normal`.execute(connection);
    try {
      return await connection.transaction().execute(work);
    } finally {
      await sql`pragma synchronous = full`.execute(connection);
    }
  });
}
