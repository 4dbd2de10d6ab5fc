import { sql } from 'kysely';
import type { Database } from './database.ts';
import { prepareQuery } from './prepare-query.ts';
import type { SessionTable } from './schema.ts';

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
