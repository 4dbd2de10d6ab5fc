import type { Transaction } from 'kysely';
import type { SessionTable, Tables } from './schema.ts';
import { changeTotal, runsOf, sessionsOf } from './totals.ts';

/** Takes a session out of every list, and its runs with it; one that is deleted already may be marked again. */
export async function markDeleted(
  trx: Transaction<Tables>,
  sessionId: string,
  mark: { readonly deleted_at: number; readonly purge_state?: SessionTable['purge_state'] },
): Promise<void> {
  await uncount(trx, sessionId);
  await trx.updateTable('sessions').set(mark).where('id', '=', sessionId).execute();
  await trx.updateTable('runs').set({ deleted_at: mark.deleted_at }).where('session_id', '=', sessionId).execute();
}

async function uncount(trx: Transaction<Tables>, sessionId: string): Promise<void> {
  const session = await trx
    .selectFrom('sessions')
    .select(['project_id', 'generation'])
    .where('id', '=', sessionId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (session === undefined) return;
  const { project_id: projectId, generation } = session;
  const [sessions, runs] = [sessionsOf(generation), runsOf(generation)];
  if (sessions !== null) await changeTotal(trx, { projectId, what: sessions, by: -1 });
  if (runs === null) return;
  const { count } = await trx
    .selectFrom('runs')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('session_id', '=', sessionId)
    .executeTakeFirstOrThrow();
  await changeTotal(trx, { projectId, what: runs, by: -count });
}
