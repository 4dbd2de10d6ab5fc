import { type SelectQueryBuilder, sql } from 'kysely';
import { browserStatus, type SessionStatus, sessionStatus } from '#generated/states.ts';
import { prepared, preparedBy } from '../prepare.ts';
import type { SessionTable } from '../tables/sessions.ts';
import type { Tables } from '../tables/tables.ts';
import type { Transaction } from '../transaction.ts';
import type { Executor } from '../executor.ts';

/**
 * Kinds of totals that are stored per project: the numbers of rows that lists show as their total, and the settled
 * bills of browsers in micro-dollars.
 */
export type Counted =
  | 'micros of settled browsers'
  | 'sessions v2'
  | 'sessions v3'
  | 'runs v2'
  | 'workspaces'
  | 'browsers'
  | 'profiles';

/** A change of one total of a project: `by` is added to the total, and is negative for removed rows. */
export interface Change {
  readonly projectId: string;
  readonly what: Counted;
  readonly by: number;
}

/**
 * Changes a stored total within the transaction that adds or removes the rows, so that a list need not count all rows.
 */
export async function changeTotal(trx: Transaction, { projectId, what, by }: Change): Promise<void> {
  if (by === 0) return;
  await addToTotal.run(trx, { projectId, what, by });
}

const addToTotal = prepared<Change, unknown>(['projectId', 'what', 'by'], (db, { projectId, what, by }) =>
  db
    .insertInto('totals')
    .values({ projectId, what, count: by })
    .onConflict((conflict) =>
      conflict.columns(['projectId', 'what']).doUpdateSet({ count: sql`totals.count + ${by}` }),
    ),
);

/**
 * Returns the stored total of one kind in a project: a number of rows, or the settled bills in micro-dollars. Returns 0
 * for a total that was never changed.
 */
export async function getTotal(db: Executor, projectId: string, what: Counted): Promise<number> {
  const query = db.selectFrom('totals').select('count').where('projectId', '=', projectId).where('what', '=', what);
  return (await query.executeTakeFirst())?.count ?? 0;
}

/** Returns the kind of total in which sessions of an API version are counted; null if their list shows no total. */
export function sessionTotalKind(generation: SessionTable['generation']): Counted | null {
  return generation === 'v4' ? null : `sessions ${generation}`;
}

/** Returns the kind of total in which runs of an API version are counted; null if their list shows no total. */
export function runTotalKind(generation: SessionTable['generation']): Counted | null {
  return generation === 'v2' ? 'runs v2' : null;
}

interface OfProject {
  readonly projectId: string;
}

/**
 * Counts the active sandboxes of a project: sessions in one of the `living` states, and active standalone browsers.
 * Idle resumable sessions do not count. Call it inside the transaction that adds a sandbox.
 */
export async function countActive(
  trx: Transaction,
  projectId: string,
  living: readonly SessionStatus[],
): Promise<number> {
  const [row] = (await active(living).run(trx, { projectId })).rows;
  if (row === undefined) throw new Error('found no count, expected one row');
  return row.count;
}

const active = preparedBy((living: readonly SessionStatus[]) =>
  prepared<OfProject, { count: number }>(['projectId'], (db, { projectId }) => activeIn(db, projectId, living)),
);

/** Builds the query that counts active sandboxes. */
export function activeIn(
  db: Executor,
  projectId: string,
  living: readonly SessionStatus[],
): SelectQueryBuilder<Tables, never, { count: number }> {
  const sessions = (resumable: 0 | 1, states: readonly SessionStatus[]) =>
    db
      .selectFrom('sessions')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('projectId', '=', projectId)
      .where('resumable', '=', resumable)
      .where('status', 'in', [...states]);
  const browsers = db
    .selectFrom('browsers')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('projectId', '=', projectId)
    .where('status', '=', browserStatus.active);
  // Idle resumable sessions may be millions, and are not read.
  const outliving = living.filter((state) => state !== sessionStatus.idle);
  // One subquery for each value of `resumable`: with both values in one query, SQLite reads all sessions of the
  // project.
  return db.selectNoFrom(sql<number>`${sessions(0, living)} + ${sessions(1, outliving)} + ${browsers}`.as('count'));
}

/**
 * Counts one request under a name in a time window, and returns the count over all processes. `period` is the number of
 * the window; a later window restarts the count at 1. A process whose clock is behind counts in the latest window. Uses
 * a single statement, which in PostgreSQL waits for neither transactions nor the disk.
 */
export async function countTogether(db: Executor, name: string, period: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    insert into request_counts (name, period, count) values (${name}, ${period}, 1)
    on conflict (name) do update set
      count = case when excluded.period > request_counts.period then 1 else request_counts.count + 1 end,
      period = case when excluded.period > request_counts.period then excluded.period else request_counts.period end
    returning count`.execute(db);
  return rows[0]?.count ?? 1;
}

/** Sessions of one API version in one state. */
export interface SessionCount {
  readonly generation: SessionTable['generation'];
  readonly status: SessionStatus;
  readonly count: number;
}

/**
 * Counts the sessions in the states `living` by API version and state. Idle resumable sessions are left out, because a
 * service may keep millions of them.
 */
export async function countSessionsByStatus(db: Executor, living: readonly SessionStatus[]): Promise<SessionCount[]> {
  const { idle } = sessionStatus;
  const byState = db
    .selectFrom('sessions')
    .select(({ fn }) => ['generation', 'status', fn.countAll<number>().as('count')])
    .groupBy(['generation', 'status']);
  const busy = living.filter((state) => state !== idle);
  return [
    ...(await byState.where('status', 'in', busy).execute()),
    ...(await byState.where('resumable', '=', 0).where('status', '=', idle).execute()),
  ];
}

/** Counts all pending messages. */
export async function countWaitingMessages(db: Executor): Promise<number> {
  const { count } = await db
    .selectFrom('queue_messages')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow();
  return count;
}
