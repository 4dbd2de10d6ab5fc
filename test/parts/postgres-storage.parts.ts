import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '#store/database.ts';
import { openDatabase } from '#store/open-database.ts';
import { hasLabel } from '#store/queries/browsers.ts';
import { inTransaction, passingTransaction, type TransactionScope } from '#store/transaction.ts';
import { lockDatabase } from '#store/postgres/index.ts';
import { startCuttingProxy } from '../support/postgres/cutting-proxy.ts';
import { makeDatabase } from '../support/postgres/make-database.ts';
import { type PostgresServer, startPostgres } from '../support/postgres/start-postgres.ts';
import type { Executor } from '#store/executor.ts';

let server: PostgresServer;
let address: string;
let db: Database;
let databases = 0;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());
beforeEach(async () => {
  databases += 1;
  address = await makeDatabase(server.address, `storage_${databases}`);
  db = await openDatabase(address);
});
afterEach(() => db.destroy());

const add = (to: Executor, id: string, name = id): Promise<unknown> =>
  to.insertInto('projects').values({ id, name, createdAt: 0 }).execute();
const readName = async (id: string): Promise<string> =>
  (await db.selectFrom('projects').select('name').where('id', '=', id).executeTakeFirstOrThrow()).name;

/**
 * Increments a number in one transaction, by reading and writing it. The result is wrong if another transaction writes
 * the number in between.
 */
const count = (on: Database, id: string, of?: TransactionScope): Promise<void> =>
  inTransaction(
    on,
    async (trx) => {
      const { name } = await trx.selectFrom('projects').select('name').where('id', '=', id).executeTakeFirstOrThrow();
      await trx
        .updateTable('projects')
        .set({ name: String(Number(name) + 1) })
        .where('id', '=', id)
        .execute();
    },
    { of: of ?? 'everything' },
  );

/** Starts a transaction that stays open until the test calls `end`. */
function held(of?: TransactionScope): { readonly begun: Promise<void>; readonly end: () => Promise<void> } {
  const begun = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const done = inTransaction(
    db,
    async () => {
      begun.resolve();
      await goOn.promise;
    },
    { of: of ?? 'everything' },
  );
  return {
    begun: begun.promise,
    end: () => {
      goOn.resolve();
      return done;
    },
  };
}

/** Returns the number of connections that wait for an advisory lock. */
const waiting = async (): Promise<number> => {
  const { rows } = await sql<{ waiting: number }>`
    select count(*) as waiting from pg_locks where locktype = 'advisory' and not granted`.execute(db);
  return rows[0]?.waiting ?? 0;
};

describe('transactions', () => {
  it.each<{ readonly of: TransactionScope | undefined }>([{ of: undefined }, { of: ['p'] }])(
    'of one thing come one after the other, in two processes too: $of',
    async ({ of }) => {
      await add(db, 'p', '0');
      const other = await openDatabase(address);
      const all = Array.from({ length: 40 }, (_, turn) => count(turn % 2 === 0 ? db : other, 'p', of));
      await Promise.all(all);
      await other.destroy();
      expect(await readName('p')).toBe('40');
    },
  );

  it('of different things do not wait for each other, of the same or of everything they do', async () => {
    await add(db, 'p', '0');
    const one = held(['p']);
    await one.begun;
    await count(db, 'p', ['q']);
    const same = count(db, 'p', ['q', 'p']);
    const everything = count(db, 'p');
    await expect.poll(waiting).toBe(2);
    expect(await readName('p')).toBe('1');
    await one.end();
    await Promise.all([same, everything]);
    expect(await readName('p')).toBe('3');
  });

  it('are waited for by single writes only where they are of everything, and never by reads', async () => {
    const one = held(['p']);
    await one.begun;
    await add(db, 'p');
    const all = held();
    await expect.poll(waiting).toBe(1);
    await one.end();
    await all.begun;
    const write = add(db, 'q');
    await expect.poll(waiting).toBe(1);
    expect(await db.selectFrom('projects').select('id').execute()).toEqual([{ id: 'p' }]);
    await all.end();
    await write;
    expect(await db.selectFrom('projects').select('id').orderBy('id').execute()).toEqual([{ id: 'p' }, { id: 'q' }]);
  });

  it('that are in the way of each other are done again, after what they did outside was taken back', async () => {
    for (const id of ['a', 'b']) await add(db, id, '');
    const met = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    let undone = 0;
    const write = (own: 0 | 1, ids: readonly [string, string]): Promise<void> =>
      inTransaction(
        db,
        async (trx, attempt) => {
          attempt.onFailure(() => void (undone += 1));
          for (const [at, id] of ids.entries()) {
            await sql`update projects set name = name || ${String(own)} where id = ${id}`.execute(trx);
            if (at > 0) continue;
            met[own].resolve();
            await Promise.all(met.map(({ promise }) => promise));
          }
        },
        { of: [`thing ${own}`] },
      );
    await Promise.all([write(0, ['a', 'b']), write(1, ['b', 'a'])]);
    expect(undone).toBe(1);
    const names = [await readName('a'), await readName('b')];
    for (const name of names) expect(['01', '10']).toContain(name);
  });

  it('that fail write nothing and are not done again', async () => {
    let turns = 0;
    const failing = inTransaction(
      db,
      async (trx) => {
        turns += 1;
        await add(trx, 'p');
        throw new Error('no');
      },
      { of: 'everything' },
    );
    await expect(failing).rejects.toThrow('no');
    expect([turns, await db.selectFrom('projects').selectAll().execute()]).toEqual([1, []]);
  });

  it('that a full disk does not let begin are done again when there is room, on connections that can be used', async () => {
    const client = new Client({ connectionString: address });
    await client.connect();
    await add(db, 'first');
    await client.query(`create function fill() returns trigger language plpgsql
      as $$ begin raise exception 'no space left on device' using errcode = '53100'; end $$`);
    await client.query('create trigger full_disk before insert or update on svc_commit_marks execute function fill()');
    const adding = Promise.all([add(db, 'second'), inTransaction(db, (trx) => add(trx, 'third'), { of: ['third'] })]);
    adding.catch(() => undefined);
    await setTimeout(400);
    expect(await readName('first')).toBe('first');
    await client.query('drop trigger full_disk on svc_commit_marks');
    await client.end();
    await adding;
    expect([await readName('second'), await readName('third')]).toEqual(['second', 'third']);
  });

  it('that pass wait for no disk, and others do', async () => {
    const level = async (trx: Executor): Promise<unknown> =>
      (await sql`select current_setting('synchronous_commit') as level`.execute(trx)).rows;
    expect(await passingTransaction(db, level, { of: 'everything' })).toEqual([{ level: 'off' }]);
    expect(await inTransaction(db, level, { of: 'everything' })).toEqual([{ level: 'on' }]);
  });
});

describe('a commit whose answer is lost', () => {
  it.each([
    { when: 'after', turns: 1 },
    { when: 'before', turns: 2 },
  ] as const)('$when it was done is done once all the same', async ({ when, turns }) => {
    const proxy = await startCuttingProxy(address);
    const cut = await openDatabase(proxy.address);
    let done = 0;
    proxy.cutNextCommit(when);
    await inTransaction(
      cut,
      async (trx) => {
        done += 1;
        await add(trx, 'p');
      },
      { of: 'everything' },
    );
    proxy.cutNextCommit(when);
    await add(cut, 'q');
    await cut.destroy();
    await proxy.close();
    expect(done).toBe(turns);
    expect(await db.selectFrom('projects').select('id').orderBy('id').execute()).toEqual([{ id: 'p' }, { id: 'q' }]);
  });
});

/** Returns the columns of a database as `table.column`. With `required`, returns only columns that are not nullable. */
async function columns(of: Database, required: boolean): Promise<string[]> {
  const tables = (await of.introspection.getTables()).filter(({ name }) => name !== 'svc_commit_marks');
  const all = tables.flatMap(({ name, columns: own }) => own.map((column) => ({ table: name, ...column })));
  const wanted = required ? all.filter(({ isNullable }) => !isNullable) : all;
  return wanted.map(({ table, name }) => `${table}.${name}`).toSorted();
}

describe('tables and values', () => {
  it('are the same on both databases', async () => {
    const sqlite = await openDatabase(':memory:');
    expect(await columns(db, false)).toEqual(await columns(sqlite, false));
    expect(await columns(db, true)).toEqual(expect.arrayContaining(await columns(sqlite, true)));
    await sqlite.destroy();
  });

  it('are brought up to date by one process at a time', async () => {
    const fresh = await makeDatabase(server.address, 'fresh');
    const all = await Promise.all(Array.from({ length: 4 }, () => openDatabase(fresh)));
    for (const one of all) await one.destroy();
  });

  it('are compared by their bytes, hold every text, and 64-bit numbers', async () => {
    const texts = ['Z', 'a', 'B', 'ä', '\0', '\u{10fffe}0', '\u{10fffe}1\0', '\u{ffff}', '\u{1f600}', ''];
    for (const text of texts) await add(db, text);
    const found = await db.selectFrom('projects').select('id').orderBy('id').execute();
    const bytes = (text: string): string =>
      Buffer.from(text.replaceAll('\u{10fffe}', '\u{10fffe}1').replaceAll('\0', '\u{10fffe}0')).toString('hex');
    expect(found.map(({ id }) => id)).toEqual(texts.toSorted((a, b) => (bytes(a) < bytes(b) ? -1 : 1)));
    await db.updateTable('projects').set({ creditMicros: Number.MAX_SAFE_INTEGER }).execute();
    const { sum, most } = await db
      .selectFrom('projects')
      .select((eb) => [eb.fn.max('creditMicros').as('most'), eb.fn.sum<number>('createdAt').as('sum')])
      .executeTakeFirstOrThrow();
    expect([most, sum]).toEqual([Number.MAX_SAFE_INTEGER, 0]);
    const none = db.selectFrom('projects').select('id');
    expect(await none.where('id', 'in', []).execute()).toEqual([]);
    expect(await none.where('id', 'not in', []).execute()).toHaveLength(texts.length);
  });

  it('are found by labels, whatever these are', async () => {
    await add(db, 'p');
    const metadata = JSON.stringify({ 'k\0\0e': 'v\0', '\\u0000': '\\\0', plain: '\u{10fffe}' });
    const tokens = { cdpHash: '1', liveHash: '2', viewHash: '3' };
    const browser = { id: 'b', projectId: 'p', status: 'active', ...tokens, timeoutMinutes: 1 } as const;
    await db
      .insertInto('browsers')
      .values({ ...browser, proxyBytes: 0, startedAt: 1, metadata })
      .execute();
    const has = async (key: string, value: string | null): Promise<boolean> =>
      (await db.selectFrom('browsers').select('id').where(hasLabel({ key, value }, 'postgres')).execute()).length === 1;
    expect(
      await Promise.all([
        has('k\0\0e', 'v\0'),
        has('k\0\0e', null),
        has('\\u0000', '\\\0'),
        has('plain', '\u{10fffe}'),
      ]),
    ).toEqual([true, true, true, true]);
    expect(await Promise.all([has('k\0e', null), has('plain', 'x')])).toEqual([false, false]);
  });
});

describe('a database', () => {
  it('belongs to one service, until that ends', async () => {
    const first = await lockDatabase(address, () => undefined);
    await expect(lockDatabase(address, () => undefined)).rejects.toThrow(
      'found the database in use by another service',
    );
    await first.release();
    await (await lockDatabase(address, () => undefined)).release();
  });

  it('is swept by one of the processes that share it at a time, and by the next when that is done', async () => {
    const [first, second] = await Promise.all(
      [0, 1].map(() => lockDatabase(address, () => undefined, { isShared: true })),
    );
    const during: (boolean | undefined)[] = [];
    const nothing = async (): Promise<void> => undefined;
    const swept = await first?.sweepAlone(async () => {
      during.push(await second?.sweepAlone(nothing));
    });
    expect([swept, during]).toEqual([true, [false]]);
    expect(await second?.sweepAlone(nothing)).toBe(true);
    const fails = first?.sweepAlone(() => Promise.reject(new Error('no disk')));
    await expect(fails).rejects.toThrow('no disk');
    expect(await second?.sweepAlone(nothing)).toBe(true);
    await Promise.all([first?.release(), second?.release()]);
  });

  it('is taken again by its service when it was away, and it says so when another was first', async () => {
    const taken = Promise.withResolvers<void>();
    const first = await lockDatabase(address, () => taken.resolve());
    const admin = new Client({ connectionString: server.address });
    await admin.connect();
    const cut = (): Promise<unknown> =>
      admin.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'svc lock'");
    const before = await lockHolders(admin);
    await cut();
    // The cut connection holds the lock until its end is noticed.
    await expect.poll(async () => (await lockHolders(admin)).filter((pid) => !before.includes(pid)).length).toBe(1);
    await expect(lockDatabase(address, () => undefined)).rejects.toThrow('in use');
    // A waiting client gets the lock before a client that must reconnect.
    const rival = new Client({ connectionString: address });
    await rival.connect();
    const got = rival.query('select pg_advisory_lock(7566947, 1)');
    await expect.poll(() => waiting()).toBe(1);
    await cut();
    await got;
    await taken.promise;
    await rival.end();
    await admin.end();
    await first.release();
  });

  it('is asked for again when it refuses connections after an outage', async () => {
    const proxy = await startCuttingProxy(address);
    const first = await lockDatabase(proxy.address, () => undefined);
    const admin = new Client({ connectionString: server.address });
    await admin.connect();
    const name = new URL(address.replace('@/', '@localhost/')).pathname.slice(1);
    await admin.query(`alter database ${name} allow_connections false`);
    await admin.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'svc lock'");
    await expect.poll(() => proxy.connections, { timeout: 10_000 }).toBeGreaterThanOrEqual(3);
    await admin.query(`alter database ${name} allow_connections true`);
    await expect.poll(() => first.sweepAlone(() => Promise.resolve())).toBe(true);
    await first.release();
    await admin.end();
    await proxy.close();
  });
});

/** Returns the ids of the PostgreSQL processes that hold the lock of a service. */
async function lockHolders(admin: Client): Promise<number[]> {
  const { rows } = await admin.query<{ pid: number }>(
    "select pid from pg_locks join pg_stat_activity using (pid) where locktype = 'advisory' and granted and application_name = 'svc lock'",
  );
  return rows.map(({ pid }) => pid);
}
