import type { Insertable, Transaction } from 'kysely';
import type { Tables, WorkspaceTable } from './schema.ts';
import { changeTotal } from './totals.ts';

/** Writes a workspace. One that belongs to a session or browser is in no list, and counts for nothing. */
export async function addWorkspace(trx: Transaction<Tables>, workspace: Insertable<WorkspaceTable>): Promise<void> {
  await trx.insertInto('workspaces').values(workspace).execute();
  const isListed = (workspace.owner_id ?? null) === null;
  await changeTotal(trx, { projectId: workspace.project_id, what: 'workspaces', by: isListed ? 1 : 0 });
}
