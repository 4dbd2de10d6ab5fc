import { preparedInsert } from '../prepare.ts';
import type { Insertable } from 'kysely';
import type { EventTable, RunTable } from '../tables/runs.ts';
import type { WorkspaceTable } from '../tables/files.ts';
import type { Transaction } from '../transaction.ts';
import { changeTotal, runTotalKind } from './counts.ts';

/** Inserts an event, within the transaction of the change that it reports. Events are never changed. */
export const addEvent: (trx: Transaction, event: Insertable<EventTable>) => Promise<void> = preparedInsert('events');

/** Inserts a run, and adds it to the total of its project. The session of the run must not be deleted. */
export async function addRun(trx: Transaction, run: Insertable<RunTable>): Promise<void> {
  await insertRun(trx, run);
  const what = runTotalKind(run.generation);
  if (what !== null) await changeTotal(trx, { projectId: run.projectId, what, by: 1 });
}

const insertRun = preparedInsert('runs');

/** Inserts a run with the event `run.created`. */
export async function addRunWithEvent(
  trx: Transaction,
  run: Insertable<RunTable> & { readonly createdAt: number },
): Promise<void> {
  await addRun(trx, run);
  const event = { sessionId: run.sessionId, runId: run.id, type: 'run.created', data: '{}' };
  await addEvent(trx, { ...event, createdAt: run.createdAt });
}

/** Inserts a workspace. A workspace of a session or browser appears in no list and does not count towards totals. */
export async function addWorkspace(trx: Transaction, workspace: Insertable<WorkspaceTable>): Promise<void> {
  await trx.insertInto('workspaces').values(workspace).execute();
  const isListed = (workspace.ownerId ?? null) === null;
  await changeTotal(trx, { projectId: workspace.projectId, what: 'workspaces', by: isListed ? 1 : 0 });
}
