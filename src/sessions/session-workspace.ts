import type { SessionRow } from '#store/schema.ts';
import { inTransaction } from '#store/transaction.ts';
import type { EngineState } from './parts.ts';

/**
 * The workspace of a session. A V2 session, which names none, gets one of its own when it is asked for the first time: nobody
 * sees it, and it goes with the session. Null for a session without one, and for a V2 session that is deleted.
 */
export async function workspaceOf(engine: EngineState, session: SessionRow): Promise<string | null> {
  if (session.workspace_id !== null || session.generation !== 'v2') return session.workspace_id;
  return inTransaction(
    engine.db,
    async (trx) => {
      const now = await trx
        .selectFrom('sessions')
        .select(['workspace_id', 'deleted_at'])
        .where('id', '=', session.id)
        .executeTakeFirstOrThrow();
      if (now.deleted_at !== null || now.workspace_id !== null)
        return now.deleted_at === null ? now.workspace_id : null;
      const id = engine.newId();
      const times = { created_at: engine.clock.now(), updated_at: engine.clock.now() };
      const workspace = { id, project_id: session.project_id, owner_id: session.id, ...times };
      await trx.insertInto('workspaces').values(workspace).execute();
      await trx.updateTable('sessions').set({ workspace_id: id }).where('id', '=', session.id).execute();
      return id;
    },
    { of: [session.id] },
  );
}
