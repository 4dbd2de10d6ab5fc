import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDatabase } from './open-database.ts';
import type { Executor } from './executor.ts';
import { inTransaction } from './transaction.ts';
import { prepared, preparedInsert } from './prepare.ts';

const since = prepared<{ readonly from: number; readonly but: string }, { key: string }>(
  ['from', 'but'],
  (db, { from, but }) =>
    db
      .selectFrom('loose_blobs')
      .select('key')
      .where('createdAt', '>=', from)
      .where('key', '!=', but)
      .where('key', '!=', 'never')
      .orderBy('key'),
);

const addUnreferenced = preparedInsert('loose_blobs');

async function keysIn(db: Executor, values: { readonly but: string; readonly from: number }): Promise<string[]> {
  return (await since.run(db, values)).rows.map(({ key }) => key);
}

it('fills each value in at its place, however they are given, in two databases and in transactions', async () => {
  const [one, other] = [await openDatabase(':memory:'), await openDatabase(':memory:')];
  for (const [index, key] of ['a', 'b', 'c', 'never'].entries()) await addUnreferenced(one, { key, createdAt: index });
  await addUnreferenced(other, { createdAt: 9, key: 'z' });
  expect(await keysIn(one, { but: 'b', from: 0 })).toEqual(['a', 'c']);
  expect(await keysIn(one, { from: 1, but: 'x' })).toEqual(['b', 'c']);
  expect(await keysIn(other, { from: 1, but: 'x' })).toEqual(['z']);
  await inTransaction(
    one,
    async (trx) => {
      await addUnreferenced(trx, { key: 'd', createdAt: 4 });
      expect(await keysIn(trx, { from: 2, but: 'x' })).toEqual(['c', 'd']);
    },
    { of: 'everything' },
  );
  await one.destroy();
  await other.destroy();
});

it('says in a transaction what it did, and takes part in its end', async () => {
  const db = await openDatabase(':memory:');
  const remove = prepared<{ readonly from: number }, unknown>(['from'], (to, { from }) =>
    to.deleteFrom('loose_blobs').where('createdAt', '>=', from),
  );
  const taken = prepared<{ readonly from: number }, { key: string }>(['from'], (to, { from }) =>
    to.deleteFrom('loose_blobs').where('createdAt', '>=', from).returning('key'),
  );
  for (const [index, key] of ['a', 'b', 'c'].entries()) await addUnreferenced(db, { key, createdAt: index });
  const failing = inTransaction(
    db,
    async (trx) => {
      expect((await taken.run(trx, { from: 1 })).rows).toEqual([{ key: 'b' }, { key: 'c' }]);
      throw new Error('taken back');
    },
    { of: 'everything' },
  );
  await expect(failing).rejects.toThrow('taken back');
  expect(await keysIn(db, { from: 0, but: 'x' })).toEqual(['a', 'b', 'c']);
  expect(await inTransaction(db, (trx) => remove.run(trx, { from: 1 }), { of: 'everything' })).toMatchObject({
    numAffectedRows: 2n,
  });
  expect(await remove.run(db, { from: 0 })).toMatchObject({ numAffectedRows: 1n });
  await db.destroy();
});

it.each([':memory:', 'svc.sqlite'])(
  'does not see an open transaction of another caller, and waits for its end: %s',
  async (name) => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-query-'));
    const db = await openDatabase(name === ':memory:' ? name : join(folder, name));
    const beside = await inTransaction(
      db,
      async (trx) => {
        await addUnreferenced(trx, { key: 'a', createdAt: 0 });
        const seen = keysIn(db, { from: 0, but: 'x' });
        const written = addUnreferenced(db, { key: 'b', createdAt: 1 });
        await addUnreferenced(trx, { key: 'c', createdAt: 0 });
        return { seen, written };
      },
      { of: 'everything' },
    );
    await beside.written;
    expect(await beside.seen).toEqual(['a', 'c']);
    expect(await keysIn(db, { from: 0, but: 'x' })).toEqual(['a', 'b', 'c']);
    await db.destroy();
    rmSync(folder, { recursive: true });
  },
);

it('refuses a transaction that has ended', async () => {
  const db = await openDatabase(':memory:');
  const ended = await inTransaction(db, async (trx) => ({ trx }), { of: 'everything' });
  await expect(addUnreferenced(ended.trx, { key: 'a', createdAt: 0 })).rejects.toThrow(
    'Transaction is already committed',
  );
  await db.destroy();
});

it('writes what a row has, and leaves the rest to the table', async () => {
  const db = await openDatabase(':memory:');
  const addEvent = preparedInsert('events');
  const event = { sessionId: 'a', type: 't', data: '{}', createdAt: 1 };
  await expect(addEvent(db, { ...event, runId: null })).rejects.toThrow('FOREIGN KEY');
  await db.destroy();
});
