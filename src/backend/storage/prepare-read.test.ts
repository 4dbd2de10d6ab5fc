import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Database, openDatabase } from './database.ts';
import { inTransaction } from './in-transaction.ts';
import { prepareRead } from './prepare-read.ts';

const looseWith = prepareRead((db, key) => db.selectFrom('loose_blobs').selectAll().where('key', '=', key));

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

const insert = (into: Database, key: string) => into.insertInto('loose_blobs').values({ key, created_at: 7 }).execute();

it('answers what is committed, each time for the text that is asked', async () => {
  expect(await looseWith(db, 'a')).toEqual([]);
  await insert(db, 'a');
  await insert(db, 'b');
  expect(await looseWith(db, 'a')).toMatchObject([{ key: 'a', created_at: 7 }]);
  expect(await looseWith(db, 'b')).toMatchObject([{ key: 'b' }]);
});

it('sees inside of a transaction what it has written, and outside nothing of it, without waiting', async () => {
  await inTransaction(db, async (trx) => {
    await insert(trx, 'a');
    expect(await looseWith(trx, 'a')).toMatchObject([{ key: 'a' }]);
    expect(await looseWith(db, 'a')).toEqual([]);
  });
  expect(await looseWith(db, 'a')).toMatchObject([{ key: 'a' }]);
});

it('sees what another process has committed in the next turn of the event loop', async () => {
  await insert(db, 'a');
  expect(await looseWith(db, 'a')).toHaveLength(1);
  const other = await openDatabase(join(folder, 'svc.sqlite'));
  await other.deleteFrom('loose_blobs').where('key', '=', 'a').execute();
  await setImmediate();
  expect(await looseWith(db, 'a')).toEqual([]);
  await insert(other, 'a');
  await setImmediate();
  expect(await looseWith(db, 'a')).toMatchObject([{ key: 'a', created_at: 7 }]);
  await other.destroy();
});

it('gives a row that nobody can change for those who ask next', async () => {
  await insert(db, 'a');
  const [row] = await looseWith(db, 'a');
  expect(() => Object.assign(row ?? {}, { created_at: 8 })).toThrow(TypeError);
  expect(await looseWith(db, 'a')).toMatchObject([{ key: 'a', created_at: 7 }]);
});

it('keeps no more than it may, and answers rightly beyond', async () => {
  const keys = Array.from({ length: 1_200 }, (_, index) => `key ${index}`);
  await inTransaction(db, async (trx) => {
    for (const key of keys) await insert(trx, key);
  });
  for (const key of [...keys, ...keys.toReversed()]) expect(await looseWith(db, key)).toMatchObject([{ key }]);
});

it('answers where the database is in memory', async () => {
  const memory = await openDatabase(':memory:');
  await insert(memory, 'a');
  expect(await looseWith(memory, 'a')).toMatchObject([{ key: 'a' }]);
  await memory.destroy();
});
