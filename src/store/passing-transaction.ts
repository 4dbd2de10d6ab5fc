import type { Transaction } from 'kysely';
import type { Database } from './database.ts';
import { type TransactionHow, inTransaction } from './in-transaction.ts';
import type { Tables } from './schema.ts';

/**
 * A transaction whose writes nobody needs after a power cut: it does not wait for the disk. What other transactions have written
 * is as safe as ever, and a process that ends alone loses nothing.
 */
export function passingTransaction<Result>(
  db: Database,
  work: (trx: Transaction<Tables>) => Promise<Result>,
  how: Pick<TransactionHow, 'of'>,
): Promise<Result> {
  return inTransaction(db, work, { ...how, passing: true });
}
