import { sql } from 'kysely';
import { vi } from 'vitest';
import { dialectOf } from '#store/dialect.ts';
import type * as transactions from '#store/transaction.ts';

/*
 * A set-up of tests (`vitest run --mode rehearsal`): the work of every transaction is done twice, the first time in vain, as where the connection was lost or
 * another transaction was in its way. What it does outside of the database must bear that.
 */
vi.mock(import('#store/transaction.ts'), async (original) => {
  const { inTransaction } = await original();
  const rehearsed: typeof transactions.inTransaction = (db, work, how) =>
    inTransaction(
      db,
      async (trx, attempt) => {
        if (dialectOf(db) !== 'sqlite') return work(trx, attempt);
        const failed: (() => void)[] = [];
        await sql`savepoint rehearsal`.execute(trx);
        await Promise.allSettled([work(trx, { onFailure: (takeBack) => void failed.push(takeBack) })]);
        await sql`rollback to rehearsal`.execute(trx);
        await sql`release rehearsal`.execute(trx);
        for (const takeBack of failed.toReversed()) takeBack();
        return work(trx, attempt);
      },
      how,
    );
  return { inTransaction: rehearsed };
});
