import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from './database.ts';
import { openDatabase } from './open-database.ts';
import { inTransaction, passingTransaction } from './transaction.ts';
import { createStorageDeadline, DatabaseLocked, type StorageDeadline, StorageFull } from './storage-deadline.ts';

let folder = '';
let db: Database;
let other: DatabaseSync;
let storageDeadline: StorageDeadline;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-locked-'));
  storageDeadline = createStorageDeadline();
  db = await openDatabase(join(folder, 'svc.sqlite'), { storageDeadline });
  other = new DatabaseSync(join(folder, 'svc.sqlite'));
});
afterEach(async () => {
  other.close();
  await db.destroy();
  rmSync(folder, { recursive: true, force: true });
});

const createKey = (key: string, size = 0): { key: string; createdAt: number } => ({
  key: key.padEnd(size, '.'),
  createdAt: 0,
});
const write = (key: string, size = 0): Promise<string> =>
  inTransaction(
    db,
    async (trx) => {
      await trx.insertInto('loose_blobs').values(createKey(key, size)).execute();
      return key;
    },
    { of: [key] },
  );
const keys = async (): Promise<string[]> =>
  (await db.selectFrom('loose_blobs').select('key').orderBy('key').execute()).map(({ key }) => key);

/** Runs work as part of a request that waits at most `ms` milliseconds for the database. */
function asRequest<Result>(ms: number, work: () => Promise<Result>): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  storageDeadline.forAnswer(
    ms,
    () => false,
    () => void work().then(resolve, reject),
  );
  return promise;
}

describe('a database that another program has locked', () => {
  const writers: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['a transaction', () => write('a')],
    ['a statement of its own', () => db.insertInto('loose_blobs').values(createKey('a')).execute()],
    [
      'a passing transaction',
      () =>
        passingTransaction(db, (trx) => trx.insertInto('loose_blobs').values(createKey('a')).execute(), {
          of: 'everything',
        }),
    ],
  ];
  it.each(writers)(
    'rejects %s of a request when its time is over, and blocks neither the event loop nor readers',
    async (_, work) => {
      other.exec('begin exclusive');
      const failed = asRequest(300, work).catch((error: unknown) => error);
      let longestMs = 0;
      for (let round = 0; round < 10; round += 1) {
        const begun = performance.now();
        await setTimeout(10);
        expect(await keys()).toEqual([]);
        longestMs = Math.max(longestMs, performance.now() - begun);
      }
      expect(await failed).toBeInstanceOf(DatabaseLocked);
      expect(longestMs).toBeLessThan(3_000);
      other.exec('rollback');
      await work();
      expect(await keys()).toEqual(['a']);
    },
  );

  it('is waited for by work in the background, and by requests where the lock is short', async () => {
    other.exec('begin exclusive');
    const waiting = [
      write('a'),
      asRequest(20_000, () => write('b')),
      db.insertInto('loose_blobs').values(createKey('c')).execute(),
    ];
    await setTimeout(200);
    other.exec('commit');
    await Promise.all(waiting);
    expect(await keys()).toEqual(['a', 'b', 'c']);
  });

  it('fails no work in the background that shares a group with a request', async () => {
    other.exec('begin exclusive');
    const [request, background] = [asRequest(50, () => write('a')), write('b')];
    await expect(request).rejects.toBeInstanceOf(DatabaseLocked);
    other.exec('commit');
    expect(await background).toBe('b');
    expect(await keys()).toEqual(['b']);
  });
});

describe('a storage that is full', () => {
  const much = 400_000;
  const fill = async (): Promise<void> => {
    const { rows } = await sql<{ pageCount: number }>`pragma page_count`.execute(db);
    await sql`pragma max_page_count = ${sql.lit(rows[0]?.pageCount ?? 0)}`.execute(db);
  };
  const free = (): Promise<unknown> => sql`pragma max_page_count = 1000000`.execute(db);

  it('rejects what a request writes with the cause, and takes the next that fits', async () => {
    await fill();
    const failed: unknown = await asRequest(1_000, () => write('a', much)).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(StorageFull);
    expect(failed).toMatchObject({ cause: { errstr: 'database or disk is full' } });
    await free();
    expect(await write('b')).toBe('b');
    expect(await keys()).toEqual(['b']);
  });

  it('tells no member of a group that it was done when it was not', async () => {
    await write('first');
    await fill();
    const wanted = ['a', 'b', 'c', 'd'];
    const settled = await Promise.allSettled(wanted.map((key) => asRequest(1_000, () => write(key, much))));
    const told = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    for (const one of settled) if (one.status === 'rejected') expect(one.reason).toBeInstanceOf(StorageFull);
    expect((await keys()).map((key) => key.replaceAll('.', ''))).toEqual([...told, 'first'].toSorted());
    expect(told.length).toBeLessThan(wanted.length);
  });

  it('is waited for by work in the background', async () => {
    await fill();
    const waiting = write('a', much);
    await setTimeout(100);
    await free();
    expect(await waiting).toBe('a');
  });
});
