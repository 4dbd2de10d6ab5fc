import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../database.ts';
import { openDatabase } from '../open-database.ts';
import { inTransaction } from '../transaction.ts';

let folder = '';
let db: Database;
let beside: DatabaseSync;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-group-'));
  db = await openDatabase(join(folder, 'svc.sqlite'));
  beside = new DatabaseSync(join(folder, 'svc.sqlite'), { readOnly: true });
});
afterEach(async () => {
  beside.close();
  await db.destroy();
  rmSync(folder, { recursive: true, force: true });
});

const write = (key: string, fails = false): Promise<string> =>
  inTransaction(
    db,
    async (trx) => {
      await trx.insertInto('loose_blobs').values({ key, createdAt: 0 }).execute();
      if (fails) throw new Error(`no ${key}`);
      return key;
    },
    { of: 'everything' },
  );

/** Returns the committed keys, read by a second connection. */
const keys = (): unknown[] =>
  beside
    .prepare('select key from loose_blobs order by key')
    .all()
    .map(({ key }) => key);

describe('transactions that come at the same moment', () => {
  it('are all there when the first is told so, and each has its own result', async () => {
    const told: string[] = [];
    const all = ['a', 'b', 'c'].map(async (key) => {
      told.push(await write(key));
      return keys();
    });
    expect(await Promise.all(all)).toEqual([
      ['a', 'b', 'c'],
      ['a', 'b', 'c'],
      ['a', 'b', 'c'],
    ]);
    expect(told).toEqual(['a', 'b', 'c']);
  });

  it('fail alone', async () => {
    const settled = await Promise.allSettled([write('a'), write('b', true), write('c')]);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(keys()).toEqual(['a', 'c']);
    await expect(write('d', true)).rejects.toThrow('no d');
    expect(keys()).toEqual(['a', 'c']);
  });

  it('see what those before them have written', async () => {
    const seen = async (): Promise<number> =>
      inTransaction(db, async (trx) => (await trx.selectFrom('loose_blobs').select('key').execute()).length, {
        of: 'everything',
      });
    expect(await Promise.all([write('a'), write('b', true).catch(() => 'failed'), seen()])).toEqual(['a', 'failed', 1]);
  });

  it('all fail where the transaction is lost, and none is told that it was done', async () => {
    const loses = inTransaction(
      db,
      async (trx) => {
        await trx.executeQuery({ ...trx.selectFrom('files').compile(), sql: 'rollback' });
        throw new Error('the disk is full');
      },
      { of: 'everything' },
    );
    const settled = await Promise.allSettled([write('a'), loses, write('b')]);
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(keys()).toEqual([]);
    expect(await write('c')).toBe('c');
    expect(keys()).toEqual(['c']);
  });

  it('come to their turn however many they are', async () => {
    const wanted = Array.from({ length: 150 }, (_, n) => String(n).padStart(3, '0'));
    expect(await Promise.all(wanted.map((key) => write(key)))).toEqual(wanted);
    expect(keys()).toEqual(wanted);
  });
});
