import { type SelectQueryBuilder, type Transaction, sql } from 'kysely';
import type { Database } from './database.ts';
import { prepareForWords, prepareQuery } from './prepare-query.ts';
import type { Tables } from './schema.ts';

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
 * How many sandboxes of a project live: sessions of every generation in one of the `living` states, and standalone
 * browsers. An idle session that outlives its browser is none. To be asked inside the transaction that adds one.
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
