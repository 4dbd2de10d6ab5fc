import type { Insertable, Transaction } from 'kysely';
import type { RunTable, Tables } from './schema.ts';
import { changeTotal, runsOf } from './totals.ts';

/** Writes a run of a session that is not deleted. */
export async function addRun(trx: Transaction<Tables>, run: Insertable<RunTable>): Promise<void> {
  await trx.insertInto('runs').values(run).execute();
  const what = runsOf(run.generation);
  if (what !== null) await changeTotal(trx, { projectId: run.project_id, what, by: 1 });
}
