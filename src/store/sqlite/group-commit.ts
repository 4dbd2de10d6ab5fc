import { CompiledQuery, type Kysely, sql, type Transaction } from 'kysely';
import { sqliteAccess } from './dialect.ts';
import { runQuery } from '../prepare.ts';
import type { Tables } from '../tables/tables.ts';

/**
 * Maximum number of transactions in one group. Larger groups would delay all their callers, which get their results
 * only after the common disk sync.
 */
const membersMax = 64;

/** A transaction that waits for its turn. */
interface Member {
  /** Runs the work in a transaction. Resolves with a function that passes the result to the waiting caller. */
  readonly run: (trx: Transaction<Tables>) => Promise<() => void>;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs work in a transaction on the only writing connection of SQLite. With `passing`, does not wait for the disk, so
 * that a power failure may lose the writes.
 */
export function inSqliteTransaction<Result>(
  db: Kysely<Tables>,
  work: (trx: Transaction<Tables>) => Promise<Result>,
  { passing = false }: { readonly passing?: boolean },
): Promise<Result> {
  if (!passing) return inGroup(db, work);
  // The connection is held until `synchronous` is `full` again.
  return db.connection().execute(async (connection) => {
    await sql`pragma synchronous = normal`.execute(connection);
    try {
      return await connection.transaction().execute(work);
    } finally {
      await sql`pragma synchronous = full`.execute(connection);
    }
  });
}

/** Waiting transactions of each database. */
const waiting = new WeakMap<Kysely<Tables>, Member[]>();

/**
 * Runs work in a transaction. SQLite allows one transaction at a time, so transactions of the same event-loop tick form
 * a group. Each transaction has a savepoint. All share one commit and disk sync, which takes longer than most
 * transactions. Callers are answered after the sync. A failing transaction rolls back alone; a failing disk fails the
 * whole group.
 */
function inGroup<Result>(db: Kysely<Tables>, work: (trx: Transaction<Tables>) => Promise<Result>): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const run = async (trx: Transaction<Tables>): Promise<() => void> => {
    const result = await work(trx);
    return () => resolve(result);
  };
  const members = waiting.get(db) ?? [];
  waiting.set(db, members);
  members.push({ run, reject });
  if (members.length === 1) setImmediate(() => void flush(db, members));
  return promise;
}

async function flush(db: Kysely<Tables>, members: Member[]): Promise<void> {
  const group = members.slice(0, membersMax);
  members.splice(0, group.length);
  if (members.length > 0) setImmediate(() => void flush(db, members));
  try {
    const tell = await db
      .transaction()
      .execute((trx) => (group.length === 1 ? alone(trx, group) : together(trx, group)));
    for (const one of tell) one();
  } catch (error) {
    for (const { reject } of group) reject(error);
  }
}

/** Runs a group of one member without a savepoint; a failure rolls back the whole transaction. */
async function alone(trx: Transaction<Tables>, group: readonly Member[]): Promise<(() => void)[]> {
  return Promise.all(group.map(({ run }) => run(trx)));
}

const begin = CompiledQuery.raw('savepoint member');
const takeBack = CompiledQuery.raw('rollback to member');
const keep = CompiledQuery.raw('release member');

async function together(trx: Transaction<Tables>, group: readonly Member[]): Promise<(() => void)[]> {
  const tell: (() => void)[] = [];
  for (const { run, reject } of group) {
    await runQuery(trx, begin);
    try {
      tell.push(await run(trx));
    } catch (error) {
      // If SQLite has rolled back the whole transaction, as on a full disk, all members fail with this error.
      if (!isOpen(trx)) throw error;
      await runQuery(trx, takeBack);
      tell.push(() => reject(error));
    }
    await runQuery(trx, keep);
  }
  return tell;
}

function isOpen(trx: Transaction<Tables>): boolean {
  return sqliteAccess(trx)?.isInTransaction() ?? false;
}
