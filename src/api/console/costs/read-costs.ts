import type { ConsoleCosts, ConsoleDay, ConsoleModelCost } from '#contract/console-messages.ts';
import { closedBrowsers, closedSessions } from './closed-bills.ts';
import { type CostReading, type DayBill, openBills } from './open-bills.ts';
import { type CostQuery, dayMs, type CostPeriod, dividedUp } from './cost-query.ts';
import { sql } from 'kysely';
import { picosPerMicro } from '#contract/money.ts';
import type { Database } from '#store/database.ts';

/**
 * Returns the costs of a project by the day on which a session or browser began. Each bill is rounded on its own, so
 * that the days sum up to the spend of the project. The database sums the closed bills.
 */
export async function readCosts(tools: CostReading, query: CostQuery): Promise<ConsoleCosts> {
  const today = Math.floor(query.nowMs / dayMs);
  const firstDay = today - query.days + 1;
  const wanted = { ...query, firstDay };
  const bills = [
    ...(await closedSessions(tools, wanted)),
    ...(await closedBrowsers(tools, wanted)),
    ...(await openBills(tools, wanted)),
  ];
  const days = Array.from({ length: query.days }, (_none, index) => shownDay(firstDay + index, bills));
  const models: ConsoleModelCost[] = await costsOfModels(tools, wanted);
  return { days, models };
}

function shownDay(day: number, bills: readonly DayBill[]): ConsoleDay {
  const ofDay = bills.filter((bill) => bill.day === day);
  const sum = (pick: (bill: DayBill) => number): number => ofDay.reduce((all, bill) => all + pick(bill), 0);
  return {
    day: new Date(day * dayMs).toISOString().slice(0, 10),
    sessions: sum(({ sessions }) => sessions),
    browsers: sum(({ browsers }) => browsers),
    llmMicros: sum(({ modelMicros }) => modelMicros),
    simulatedMicros: sum(({ simulatedMicros }) => simulatedMicros),
    browserMicros: sum(({ browserMicros }) => browserMicros),
    proxyMicros: sum(({ proxyMicros }) => proxyMicros),
  };
}

/** Returns the costs by model, most expensive first, and the cost of runs without a model. */
async function costsOfModels(
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
          eb.ref('runs.answered_by').$notNull().as('answered_by'),
          sql<string | null>`case when runs.answered_by = 'model' then coalesce(runs.model, sessions.model) end`.as(
            'model',
          ),
        ])
        .where('runs.answered_by', 'is not', null)
        .where('sessions.project_id', '=', projectId)
        .where('sessions.created_at', '>=', firstDay * dayMs)
        .as('worked'),
    )
    .select((eb) => [
      'answered_by',
      'model',
      eb.fn.countAll().as('runs'),
      sql`sum(${dividedUp(sql<number>`llm_picos`, picosPerMicro)})`.as('micros'),
    ])
    .groupBy(['answered_by', 'model'])
    .execute();
  return rows
    .map(({ answered_by: answeredBy, model, runs, micros }) => ({
      answeredBy,
      model,
      runs: Number(runs),
      llmMicros: Number(micros),
    }))
    .toSorted((one, other) => other.llmMicros - one.llmMicros || other.runs - one.runs);
}
