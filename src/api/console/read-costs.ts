import type { ConsoleCosts, ConsoleDay } from '#contract/console-messages.ts';
import { type BrowserBill, type Costs, picosPerMicro } from '#contract/money.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { BrowserRow } from '#store/queries/browsers.ts';
import {
  type CostPeriod,
  type DayBill,
  dayMs,
  listOpenBrowsers,
  listOpenSessions,
  sumClosedBrowsers,
  sumClosedSessions,
  sumModelCosts,
} from '#store/queries/costs.ts';
import type { SessionRow } from '#store/tables/sessions.ts';
import type { Executor } from '#store/executor.ts';

/** A project and a number of days. */
export interface CostQuery {
  readonly projectId: string;
  /** Number of days up to and including today, at least 1. */
  readonly days: number;
  readonly nowMs: number;
}

/** Dependencies of {@link readCosts}. */
export interface CostReading {
  readonly db: Executor;
  readonly rules: RuleBook;
  readonly engine: { costs(session: SessionRow): Costs };
  readonly browsers: { bill(browser: BrowserRow): BrowserBill };
}

/**
 * Returns the costs of a project by the day (UTC) on which a session or browser began, and the model costs by model.
 * Each bill is rounded separately, as in the total spend of the project, so that the days add up to this total. The
 * database adds up the bills that no longer change.
 */
export async function readCosts(tools: CostReading, query: CostQuery): Promise<ConsoleCosts> {
  const { db, rules } = tools;
  const firstDay = Math.floor(query.nowMs / dayMs) - query.days + 1;
  const period = { projectId: query.projectId, firstDay };
  const bills = [
    ...(await sumClosedSessions(db, rules.pricing, period)),
    ...(await sumClosedBrowsers(db, rules.pricing, period)),
    ...(await openBills(tools, period)),
  ];
  const days = Array.from({ length: query.days }, (_none, index) => shownDay(firstDay + index, bills));
  return { days, models: await sumModelCosts(db, period) };
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

/**
 * Returns the bills, up to now, of sessions with a running browser and of running standalone browsers. The amounts
 * equal those that API operations show.
 */
async function openBills({ db, engine, browsers }: CostReading, period: CostPeriod): Promise<DayBill[]> {
  const sessions = await listOpenSessions(db, period);
  const standalone = await listOpenBrowsers(db, period);
  return [
    ...sessions.map(({ session, modelPicos }) => sessionBill(session, engine.costs(session), modelPicos)),
    ...standalone.map((browser) => browserBill(browser, browsers.bill(browser))),
  ];
}

function sessionBill(session: SessionRow, { llm, browser, proxy }: Costs, modelPicos: number): DayBill {
  const modelMicros = Math.ceil(modelPicos / picosPerMicro);
  return {
    day: Math.floor(session.createdAt / dayMs),
    sessions: 1,
    browsers: 0,
    modelMicros,
    simulatedMicros: llm - modelMicros,
    browserMicros: browser,
    proxyMicros: proxy,
  };
}

function browserBill(row: BrowserRow, { browserMicros, proxyMicros }: BrowserBill): DayBill {
  return {
    day: Math.floor(row.startedAt / dayMs),
    sessions: 0,
    browsers: 1,
    modelMicros: 0,
    simulatedMicros: 0,
    browserMicros,
    proxyMicros,
  };
}
