import type { Insertable, Transaction } from 'kysely';
import { prepareInsert } from './insert-row.ts';
import type { RunTable, Tables } from './schema.ts';
import { changeTotal, runsOf } from './totals.ts';

const insertRun = prepareInsert('runs');

/** Writes a run of a session that is not deleted. */
export async function addRun(trx: Transaction<Tables>, run: Insertable<RunTable>): Promise<void> {
  await insertRun(trx, run);
  const what = runsOf(run.generation);
  if (what !== null) await changeTotal(trx, { projectId: run.project_id, what, by: 1 });
}
