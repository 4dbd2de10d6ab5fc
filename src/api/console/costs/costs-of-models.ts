import { sql } from 'kysely';
import type { ConsoleModelCost } from '#contract/console-messages.ts';
import { picosPerMicro } from '#contract/money.ts';
import type { Database } from '#store/database.ts';
import { wasAnswered } from '../tasks/run-outcome.ts';
import { type CostPeriod, dayMs, dividedUp } from './cost-query.ts';

/** Reads what the runs of each model have cost, the dearest first. Runs that no model answered are the offline planner's. */
export async function costsOfModels(
  { db }: { readonly db: Database },
  { projectId, firstDay }: CostPeriod,
): Promise<ConsoleModelCost[]> {
  const rows = await db
    .selectFrom(
      db
        .selectFrom('runs')
        .innerJoin('sessions', 'sessions.id', 'runs.session_id')
        .select((eb) => [
          'runs.llm_picos',
          eb.case().when(wasAnswered(eb)).then(sql<string>`coalesce(runs.model, sessions.model)`).end().as('model'),
        ])
        .where('sessions.project_id', '=', projectId)
        .where('sessions.created_at', '>=', firstDay * dayMs)
        .as('worked'),
    )
    .select((eb) => [
      'model',
      eb.fn.countAll().as('runs'),
      sql`sum(${dividedUp(sql<number>`llm_picos`, picosPerMicro)})`.as('micros'),
    ])
    .groupBy('model')
    .execute();
  return rows
    .map(({ model, runs, micros }) => ({ model, runs: Number(runs), llmMicros: Number(micros) }))
    .toSorted((one, other) => other.llmMicros - one.llmMicros || other.runs - one.runs);
}
