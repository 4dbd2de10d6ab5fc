import { type BrowserBill, type Costs, picosPerMicro } from '#contract/money.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { BrowserRow } from '#store/queries/browsers.ts';
import type { Database } from '#store/database.ts';
import type { SessionRow } from '#store/schema.ts';
import { type CostPeriod, dayMs, modelPicos } from './cost-query.ts';

/** Costs of one day by kind, in micro-dollars. */
export interface DayBill {
  /** Days since 1970. */
  readonly day: number;
  readonly sessions: number;
  readonly browsers: number;
  readonly modelMicros: number;
  readonly simulatedMicros: number;
  readonly browserMicros: number;
  readonly proxyMicros: number;
}

/** Dependencies of {@link readCosts}. */
export interface CostReading {
  readonly db: Database;
  readonly rules: RuleBook;
  readonly engine: { costs(session: SessionRow): Costs };
  readonly browsers: { bill(browser: BrowserRow): BrowserBill };
}

/** Returns the bills of active sessions and browsers, as their own pages show them. */
export async function openBills({ db, engine, browsers }: CostReading, period: CostPeriod): Promise<DayBill[]> {
  const { projectId, firstDay } = period;
  const sessions = await db
    .selectFrom('sessions')
    .selectAll()
    .select(modelPicos.as('model_picos'))
    .where('project_id', '=', projectId)
    .where('created_at', '>=', firstDay * dayMs)
    .where('browser_since', 'is not', null)
    .execute();
  const standalone = await db
    .selectFrom('browsers')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('started_at', '>=', firstDay * dayMs)
    .where('finished_at', 'is', null)
    .execute();
  return [
    ...sessions.map(({ model_picos: picos, ...session }) => sessionBill(session, engine.costs(session), picos)),
    ...standalone.map((browser) => browserBill(browser, browsers.bill(browser))),
  ];
}

function sessionBill(session: SessionRow, { llm, browser, proxy }: Costs, picos: number): DayBill {
  const modelMicros = Math.ceil(picos / picosPerMicro);
  return {
    day: Math.floor(session.created_at / dayMs),
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
    day: Math.floor(row.started_at / dayMs),
    sessions: 0,
    browsers: 1,
    modelMicros: 0,
    simulatedMicros: 0,
    browserMicros,
    proxyMicros,
  };
}
