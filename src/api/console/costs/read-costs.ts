import type { ConsoleCosts, ConsoleDay, ConsoleModelCost } from '#contract/console-messages.ts';
import { closedBrowsers, closedSessions } from './closed-bills.ts';
import { type CostReading, type DayBill, openBills } from './open-bills.ts';
import { costsOfModels } from './costs-of-models.ts';
import { type CostQuery, dayMs } from './cost-query.ts';

/**
 * Reads what a project has spent by the day that a session or browser began. Each session and each browser is rounded as its own bill is, so that
 * the days add up to the spending of the project. The database adds up the bills that are closed.
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
    plannerMicros: sum(({ plannerMicros }) => plannerMicros),
    browserMicros: sum(({ browserMicros }) => browserMicros),
    proxyMicros: sum(({ proxyMicros }) => proxyMicros),
  };
}
