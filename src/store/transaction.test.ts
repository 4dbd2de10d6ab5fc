import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openDatabase } from './open-database.ts';
import { addEvent } from './queries/inserts.ts';
import { inTransaction, passingTransaction } from './transaction.ts';

const full = 2;

it('writes like any other, and every later one waits for the disk again, also after one that failed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-passing-'));
  const db = await openDatabase(join(folder, 'svc.sqlite'));
  const level = async (): Promise<unknown> => (await sql`pragma synchronous`.execute(db)).rows;
  try {
    const during = await passingTransaction(
      db,
      async (trx) => {
        await trx.insertInto('loose_blobs').values({ key: 'a', createdAt: 0 }).execute();
        return (await sql`pragma synchronous`.execute(trx)).rows;
      },
      { of: 'everything' },
    );
    expect(during).toEqual([{ synchronous: 1 }]);
    expect(await level()).toEqual([{ synchronous: full }]);
    const failed = passingTransaction(
      db,
      async (trx) => {
        await trx.insertInto('loose_blobs').values({ key: 'b', createdAt: 0 }).execute();
        throw new Error('no');
      },
      { of: 'everything' },
    );
    await expect(failed).rejects.toThrow('no');
    expect(await level()).toEqual([{ synchronous: full }]);
    expect(await db.selectFrom('loose_blobs').select('key').execute()).toEqual([{ key: 'a' }]);
  } finally {
    await db.destroy();
    rmSync(folder, { recursive: true, force: true });
  }
});

it('does not compile a transaction without a scope', async () => {
  const db = await openDatabase(':memory:');
  const event = { sessionId: 'a', runId: null, type: 'step', data: '{}', createdAt: 0 };
  const mistakes = [
    // @ts-expect-error -- a transaction names its scope
    () => inTransaction(db, async () => undefined, {}),
    // @ts-expect-error -- a scope has at least one id
    () => inTransaction(db, async () => undefined, { of: [] }),
    // @ts-expect-error -- a database begins no transaction by itself
    () => db.transaction(),
    // @ts-expect-error -- a transaction begins no other one
    () => inTransaction(db, (trx) => inTransaction(trx, async () => undefined, { of: ['a'] }), { of: ['a'] }),
    // @ts-expect-error -- an event is written inside the transaction of its change
    () => addEvent(db, event),
  ];
  expect(mistakes).toHaveLength(5);
  await db.destroy();
});
