import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from './database.ts';
import { openDatabase } from './open-database.ts';
import type { Executor } from './executor.ts';
import { inTransaction } from './transaction.ts';
import { prepared } from './prepare.ts';

const withKey = prepared<{ readonly key: string }, { key: string; createdAt: number }>(['key'], (db, { key }) =>
  db.selectFrom('loose_blobs').selectAll().where('key', '=', key),
);
const unreferencedWith = (from: Executor, key: string) => withKey.read(from, { key });

let folder = '';
let db: Database;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-read-'));
  db = await openDatabase(join(folder, 'svc.sqlite'));
});
afterEach(async () => {
  await db.destroy();
  rmSync(folder, { recursive: true, force: true });
});

const insert = (into: Executor, key: string) => into.insertInto('loose_blobs').values({ key, createdAt: 7 }).execute();

it('answers what is committed, each time for the text that is asked', async () => {
  expect(await unreferencedWith(db, 'a')).toEqual([]);
  await insert(db, 'a');
  await insert(db, 'b');
  expect(await unreferencedWith(db, 'a')).toMatchObject([{ key: 'a', createdAt: 7 }]);
  expect(await unreferencedWith(db, 'b')).toMatchObject([{ key: 'b' }]);
});

it('sees inside of a transaction what it has written, and outside nothing of it, without waiting', async () => {
  await inTransaction(
    db,
    async (trx) => {
      await insert(trx, 'a');
      expect(await unreferencedWith(trx, 'a')).toMatchObject([{ key: 'a' }]);
      expect(await unreferencedWith(db, 'a')).toEqual([]);
    },
    { of: 'everything' },
  );
  expect(await unreferencedWith(db, 'a')).toMatchObject([{ key: 'a' }]);
});

it('sees what another process has committed in the next turn of the event loop', async () => {
  await insert(db, 'a');
  expect(await unreferencedWith(db, 'a')).toHaveLength(1);
  const other = await openDatabase(join(folder, 'svc.sqlite'));
  await other.deleteFrom('loose_blobs').where('key', '=', 'a').execute();
  await setImmediate();
  expect(await unreferencedWith(db, 'a')).toEqual([]);
  await insert(other, 'a');
  await setImmediate();
  expect(await unreferencedWith(db, 'a')).toMatchObject([{ key: 'a', createdAt: 7 }]);
  await other.destroy();
});

it('returns frozen rows, because callers share them', async () => {
  await insert(db, 'a');
  const [row] = await unreferencedWith(db, 'a');
  expect(() => Object.assign(row ?? {}, { createdAt: 8 })).toThrow(TypeError);
  expect(await unreferencedWith(db, 'a')).toMatchObject([{ key: 'a', createdAt: 7 }]);
});

it('keeps no more than it may, and answers rightly beyond', async () => {
  const keys = Array.from({ length: 1_200 }, (_, index) => `key ${index}`);
  await inTransaction(
    db,
    async (trx) => {
      for (const key of keys) await insert(trx, key);
    },
    { of: 'everything' },
  );
  for (const key of [...keys, ...keys.toReversed()]) expect(await unreferencedWith(db, key)).toMatchObject([{ key }]);
});

describe('of a database in memory', () => {
  let memory: Database;
  beforeEach(async () => {
    memory = await openDatabase(':memory:');
  });
  afterEach(() => memory.destroy());

  it('answers at once, and anew as soon as something was written', async () => {
    expect(unreferencedWith(memory, 'a')).toEqual([]);
    await insert(memory, 'a');
    expect(unreferencedWith(memory, 'a')).toMatchObject([{ key: 'a' }]);
    await memory.updateTable('loose_blobs').set({ createdAt: 8 }).returningAll().execute();
    expect(unreferencedWith(memory, 'a')).toMatchObject([{ createdAt: 8 }]);
    await inTransaction(memory, (trx) => trx.deleteFrom('loose_blobs').execute(), { of: 'everything' });
    expect(unreferencedWith(memory, 'a')).toEqual([]);
  });

  it('returns the cached rows until a statement writes', async () => {
    await insert(memory, 'a');
    const rows = unreferencedWith(memory, 'a');
    await memory.selectFrom('loose_blobs').selectAll().execute();
    expect(unreferencedWith(memory, 'a')).toBe(rows);
  });

  it('hides an open transaction: cached rows are returned, and other reads wait for its end', async () => {
    expect(unreferencedWith(memory, 'a')).toEqual([]);
    const { promise: later, resolve: show } = Promise.withResolvers<unknown>();
    await inTransaction(
      memory,
      async (trx) => {
        await insert(trx, 'a');
        await insert(trx, 'b');
        expect(await unreferencedWith(trx, 'a')).toHaveLength(1);
        expect(unreferencedWith(memory, 'a')).toEqual([]);
        const waits = unreferencedWith(memory, 'b');
        expect(waits).toBeInstanceOf(Promise);
        show(waits);
      },
      { of: 'everything' },
    );
    expect(await later).toHaveLength(1);
    expect([unreferencedWith(memory, 'a'), unreferencedWith(memory, 'b')]).toMatchObject([
      [{ key: 'a' }],
      [{ key: 'b' }],
    ]);
  });

  it('shows nothing of what was taken back', async () => {
    const { promise: later, resolve: show } = Promise.withResolvers<unknown>();
    const failing = inTransaction(
      memory,
      async (trx) => {
        await insert(trx, 'a');
        show(unreferencedWith(memory, 'a'));
        throw new Error('taken back');
      },
      { of: 'everything' },
    );
    await expect(failing).rejects.toThrow('taken back');
    expect(await later).toEqual([]);
    expect(unreferencedWith(memory, 'a')).toEqual([]);
  });

  it('keeps no more than it may, and answers rightly beyond', async () => {
    const keys = Array.from({ length: 1_200 }, (_, index) => `key ${index}`);
    await inTransaction(
      memory,
      async (trx) => {
        for (const key of keys) await insert(trx, key);
      },
      { of: 'everything' },
    );
    for (const key of [...keys, ...keys.toReversed()]) expect(unreferencedWith(memory, key)).toMatchObject([{ key }]);
  });
});

it('reads by one text alone', async () => {
  const since = prepared<{ readonly from: number }, { key: string }>(['from'], (from, values) =>
    from.selectFrom('loose_blobs').select('key').where('createdAt', '>=', values.from),
  );
  expect(() => since.read(db, { from: 1 })).toThrow('expected one text parameter');
});
