import { type Kysely, sql, type Transaction as KyselyTransaction } from 'kysely';
import { asKysely, type Database } from './database.ts';
import { getDialect } from './dialect.ts';
import { isToBeRunAgain } from './postgres/database-away.ts';
import { lockEverything, shareEverything } from './postgres/locks.ts';
import type { Tables } from './tables/tables.ts';
import { inSqliteTransaction } from './sqlite/group-commit.ts';
import { getStorageDeadline, waitToTryAgain } from './storage-deadline.ts';

declare const scoped: unique symbol;

/**
 * A transaction with a declared scope. Only {@link inTransaction} creates this type, so a function with a parameter of
 * this type runs inside a transaction.
 */
export type Transaction = KyselyTransaction<Tables> & { readonly [scoped]: true };

/** Ids of a scope, at least one, or everything. */
export type TransactionScope = readonly [string, ...string[]] | 'everything';

/** Options of a database transaction. */
export interface TransactionHow {
  /**
   * Ids of the transaction's scope, such as sessions or projects. No other transaction with one of these ids, or with
   * the scope `everything`, runs at the same time. So the work must not depend on rows that transactions without these
   * ids may change. In PostgreSQL, `everything` is one lock for all projects.
   */
  readonly of: TransactionScope;
  /**
   * Whether the transaction does not wait for the disk, so that a power failure may lose its writes. @defaultValue
   * false
   */
  readonly passing?: boolean;
}

/** One attempt of a transaction. A failed attempt may be retried. */
export interface Attempt {
  /**
   * Registers an action that reverts a change outside of the database. When the attempt fails, the actions run, the
   * latest action first.
   */
  onFailure(takeBack: () => void): void;
}

/**
 * Work of a transaction. The work must return its results instead of assigning outer variables, because an assigned
 * value could come from a failed attempt.
 */
export type Work<Result> = (trx: Transaction, attempt: Attempt) => Promise<Result>;

/**
 * Runs work in a transaction, as if no other transaction of the same scope wrote at the same time. After a conflict, a
 * lost connection or a lock of another program, runs the work again. Effects of the work outside the database must be
 * repeatable, or be reverted by `onFailure`. Rejects with DatabaseAway or DatabaseLocked at the deadline of the caller.
 * On a full disk, a request rejects with StorageFull, and background work waits. After these errors nothing was
 * written.
 */
export async function inTransaction<Result>(db: Database, work: Work<Result>, how: TransactionHow): Promise<Result> {
  const once = getDialect(db) === 'sqlite' ? inSqliteTransaction : onPostgres;
  const storageDeadline = getStorageDeadline(db);
  for (;;) {
    const failed: (() => void)[] = [];
    const attempt: Attempt = { onFailure: (takeBack) => void failed.push(takeBack) };
    try {
      const result = await once(asKysely(db), (trx) => work(hasScope(trx), attempt), how);
      storageDeadline.wrote();
      return result;
    } catch (error) {
      for (const takeBack of failed.toReversed()) takeBack();
      if (!isToBeRunAgain(error)) await waitToTryAgain(storageDeadline, error);
    }
  }
}

/** Marks a transaction whose scope has been locked. */
function hasScope(trx: KyselyTransaction<Tables>): Transaction {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the only place that makes a scoped transaction
  return trx as Transaction;
}

type Once = <Result>(
  db: Kysely<Tables>,
  work: (trx: KyselyTransaction<Tables>) => Promise<Result>,
  how: TransactionHow,
) => Promise<Result>;

const onPostgres: Once = (db, work, { of, passing = false }) =>
  db
    .transaction()
    .setAccessMode('read write')
    .execute(async (trx) => {
      if (passing) await sql`set local synchronous_commit = off`.execute(trx);
      await takeLocks(trx, of);
      return work(trx);
    });

/** Takes the locks in the order of the ids, so that transactions with the same ids cannot deadlock. */
async function takeLocks(trx: KyselyTransaction<Tables>, ids: TransactionScope): Promise<void> {
  if (ids === 'everything') {
    await sql.raw(lockEverything).execute(trx);
    return;
  }
  const own = [...new Set(ids)].toSorted().map((id) => sql`, pg_advisory_xact_lock(hashtextextended(${id}, 0))`);
  await sql`${sql.raw(shareEverything)}${sql.join(own, sql``)}`.execute(trx);
}

/**
 * Runs a transaction without waiting for the disk, so that a power failure may lose its writes. Other transactions
 * stay durable, and a crash of only the process loses nothing.
 */
export function passingTransaction<Result>(
  db: Database,
  work: (trx: Transaction) => Promise<Result>,
  how: Pick<TransactionHow, 'of'>,
): Promise<Result> {
  return inTransaction(db, work, { ...how, passing: true });
}
