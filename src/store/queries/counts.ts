import { type SelectQueryBuilder, sql, type Transaction } from 'kysely';
import type { Database } from '../database.ts';
import { prepareForWords, prepareQuery } from '../prepare.ts';
import type { SessionTable, Tables } from '../schema.ts';

/**
 * Things of a project that a list shows with their total, and the bills of browsers that are settled, in micro-dollars. Things of a list that
 * shows no total are not counted.
 */
export type Counted =
  | 'micros of settled browsers'
  | 'sessions v2'
  | 'sessions v3'
  | 'runs v2'
  | 'workspaces'
  | 'browsers'
  | 'profiles';

/** How many more of something a project has; fewer where it is negative. */
export interface Change {
  readonly projectId: string;
  readonly what: Counted;
  readonly by: number;
}

/**
 * Notes that a project has more or fewer of something, in the transaction that makes or removes them: a list can say how many there are
 * without reading them all.
 */
export async function changeTotal(trx: Database, { projectId, what, by }: Change): Promise<void> {
  if (by === 0) return;
  await addToTotal(trx, { projectId, what, by });
}

const addToTotal = prepareQuery<Change, unknown>(['projectId', 'what', 'by'], (db, { projectId, what, by }) =>
  db
    .insertInto('totals')
    .values({ project_id: projectId, what, count: by })
    .onConflict((conflict) =>
      conflict.columns(['project_id', 'what']).doUpdateSet({ count: sql`totals.count + ${by}` }),
    ),
);

/** How many of something a project has. */
export async function totalOf(db: Database, projectId: string, what: Counted): Promise<number> {
  const query = db.selectFrom('totals').select('count').where('project_id', '=', projectId).where('what', '=', what);
  return (await query.executeTakeFirst())?.count ?? 0;
}

/** What sessions of a generation count as; null for one whose list shows no total. */
export function sessionsOf(generation: SessionTable['generation']): Counted | null {
  return generation === 'v4' ? null : `sessions ${generation}`;
}

/** What runs of a generation count as; null for one whose list shows no total. */
export function runsOf(generation: SessionTable['generation']): Counted | null {
  return generation === 'v2' ? 'runs v2' : null;
}

/** How many sandboxes of a project may live: its own limit, else that of the service. To be asked as {@link countActive} is. */
export async function activeMaxOf(trx: Transaction<Tables>, projectId: string, otherwise: number): Promise<number> {
  const [project] = (await limitOf(trx, { projectId })).rows;
  if (project === undefined) throw new Error(`there is no project ${projectId}`);
  return project.sessions_max ?? otherwise;
}

interface OfProject {
  readonly projectId: string;
}

const limitOf = prepareQuery<OfProject, { sessions_max: number | null }>(['projectId'], (db, { projectId }) =>
  db.selectFrom('projects').select('sessions_max').where('id', '=', projectId),
);

/**
 * Counts the active sandboxes of a project: sessions in one of the `living` states, and standalone browsers. Idle
 * resumable sessions do not count. Call it inside the transaction that adds one.
 */
export async function countActive(
  trx: Transaction<Tables>,
  projectId: string,
  living: readonly string[],
): Promise<number> {
  const [row] = (await active(trx, { projectId }, living)).rows;
  if (row === undefined) throw new Error('found no count, expected one row');
  return row.count;
}

const active = prepareForWords<OfProject, { count: number }>(['projectId'], (db, { projectId }, living) =>
  activeIn(db, projectId, living),
);

/** Asks how many live. */
export function activeIn(
  db: Database,
  projectId: string,
  living: readonly string[],
): SelectQueryBuilder<Tables, never, { count: number }> {
  const sessions = (resumable: 0 | 1, states: readonly string[]) =>
    db
      .selectFrom('sessions')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('project_id', '=', projectId)
      .where('resumable', '=', resumable)
      .where('status', 'in', [...states]);
  const browsers = db
    .selectFrom('browsers')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('project_id', '=', projectId)
    .where('status', '=', 'active');
  // Idle ones that outlive their browser may be millions, and are not read.
  const outliving = living.filter((state) => state !== 'idle');
  // Each by itself: where one question asks for both, SQLite reads every session that the project ever had.
  return db.selectNoFrom(sql<number>`${sessions(0, living)} + ${sessions(1, outliving)} + ${browsers}`.as('count'));
}

/**
 * Counts something once more in a period, which is a number that grows; answers how often every process together has counted it in that
 * period. One whose clock is a little behind counts for the period that has begun. A statement of its own, which waits for no other
 * transaction and not for the disk.
 */
export async function countTogether(db: Database, name: string, period: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    insert into request_counts (name, period, count) values (${name}, ${period}, 1)
    on conflict (name) do update set
      count = case when excluded.period > request_counts.period then 1 else request_counts.count + 1 end,
      period = case when excluded.period > request_counts.period then excluded.period else request_counts.period end
    returning count`.execute(db);
  return rows[0]?.count ?? 1;
}
