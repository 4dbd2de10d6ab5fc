import type { Transaction } from 'kysely';
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
  const sessions = await trx
    .selectFrom('sessions')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('project_id', '=', projectId)
    // In the order of an index: idle ones that outlive their browser may be millions, and are not read.
    .where((eb) =>
      eb.or([
        eb.and([eb('resumable', '=', 0), eb('status', 'in', [...living])]),
        eb.and([
          eb('resumable', '=', 1),
          eb(
            'status',
            'in',
            living.filter((state) => state !== 'idle'),
          ),
        ]),
      ]),
    )
    .executeTakeFirstOrThrow();
  const browsers = await trx
    .selectFrom('browsers')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('project_id', '=', projectId)
    .where('status', '=', 'active')
    .executeTakeFirstOrThrow();
  return sessions.count + browsers.count;
}
