import { sql } from 'kysely';
import { vi } from 'vitest';
import { getDialect } from '#store/dialect.ts';
import type * as transactions from '#store/transaction.ts';

/*
 * Test set-up (`vitest run --mode rehearsal`): the work of every SQLite transaction runs twice, first without effect,
 * as after a lost connection or a conflict. Effects of this work outside of the database must tolerate that.
 */
vi.mock(import('#store/transaction.ts'), async (original) => {
  const module = await original();
  const { inTransaction } = module;
  const rehearsed: typeof transactions.inTransaction = (db, work, how) =>
    inTransaction(
      db,
      async (trx, attempt) => {
        if (getDialect(db) !== 'sqlite') return work(trx, attempt);
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
  return { ...module, inTransaction: rehearsed };
});
