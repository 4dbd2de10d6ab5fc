import { prepareInsert } from '../prepare.ts';
import type { Insertable, Transaction } from 'kysely';
import type { RunTable, Tables, WorkspaceTable } from '../schema.ts';
import { changeTotal, runsOf } from './counts.ts';

/** Writes down that something has happened; nothing changes an event. */
export const addEvent = prepareInsert('events');

/** Writes a run of a session that is not deleted. */
export async function addRun(trx: Transaction<Tables>, run: Insertable<RunTable>): Promise<void> {
  await insertRun(trx, run);
  const what = runsOf(run.generation);
  if (what !== null) await changeTotal(trx, { projectId: run.project_id, what, by: 1 });
}

const insertRun = prepareInsert('runs');

/** Writes a workspace. One that belongs to a session or browser is in no list, and counts for nothing. */
export async function addWorkspace(trx: Transaction<Tables>, workspace: Insertable<WorkspaceTable>): Promise<void> {
  await trx.insertInto('workspaces').values(workspace).execute();
  const isListed = (workspace.owner_id ?? null) === null;
  await changeTotal(trx, { projectId: workspace.project_id, what: 'workspaces', by: isListed ? 1 : 0 });
}
