import { type SelectQueryBuilder, type Transaction, sql } from 'kysely';
import type { Database } from './database.ts';
import type { Tables } from './schema.ts';

/** How many sandboxes of a project may live: its own limit, else that of the service. To be asked as {@link countActive} is. */
export async function activeMaxOf(trx: Transaction<Tables>, projectId: string, otherwise: number): Promise<number> {
  const project = await trx
    .selectFrom('projects')
    .select('sessions_max')
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow();
  return project.sessions_max ?? otherwise;
}

/**
 * How many sandboxes of a project live: sessions of every generation in one of the `living` states, and standalone
 * browsers. An idle session that outlives its browser is none. To be asked inside the transaction that adds one.
 */
export async function countActive(
  trx: Transaction<Tables>,
  projectId: string,
  living: readonly string[],
): Promise<number> {
  const { count } = await activeIn(trx, projectId, living).executeTakeFirstOrThrow();
  return count;
}

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
