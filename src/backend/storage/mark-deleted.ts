import type { Transaction } from 'kysely';
import type { SessionTable, Tables } from './schema.ts';

/** Takes a session out of every list, and its runs with it. */
export async function markDeleted(
  trx: Transaction<Tables>,
  sessionId: string,
  mark: { readonly deleted_at: number; readonly purge_state?: SessionTable['purge_state'] },
): Promise<void> {
  await trx.updateTable('sessions').set(mark).where('id', '=', sessionId).execute();
  await trx.updateTable('runs').set({ deleted_at: mark.deleted_at }).where('session_id', '=', sessionId).execute();
}
