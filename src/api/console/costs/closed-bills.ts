import { type RawBuilder, sql } from 'kysely';
import { picosPerMicro } from '#contract/money.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { Database } from '#store/database.ts';
import { type CostPeriod, dayMs, dayOf, dividedUp, modelPicos } from './cost-query.ts';
import type { DayBill } from './open-bills.ts';

const msPerMinute = 60_000;
const minutesPerHour = 60;
const bytesPerGigabyte = 1_000_000_000;

interface Parts {
  readonly db: Database;
  readonly rules: RuleBook;
}

/** Sums the bills of sessions whose browsers have ended, by day, with each bill rounded as `costsOf` rounds it. */
export async function closedSessions({ db, rules }: Parts, period: CostPeriod): Promise<DayBill[]> {
  const micros = dividedUp(sql<number>`llm_picos`, picosPerMicro);
  const modelMicros = dividedUp(sql<number>`model_picos`, picosPerMicro);
  const rows = await db
    .selectFrom(
      db
        .selectFrom('sessions')
        .select(['llm_picos', 'proxy_bytes', 'browser_ms', dayOf('created_at').as('day'), modelPicos.as('model_picos')])
        .where('project_id', '=', period.projectId)
        .where('created_at', '>=', period.firstDay * dayMs)
        .where('browser_since', 'is', null)
        .as('billed'),
    )
    .select((eb) => [
      'day',
      eb.fn.countAll().as('count'),
      sql`sum(${modelMicros})`.as('model'),
      sql`sum(${micros} - ${modelMicros})`.as('simulated'),
      sql`sum(${browserMicros(rules, sql`browser_ms`)})`.as('browser'),
      sql`sum(${proxyMicros(rules)})`.as('proxy'),
    ])
    .groupBy('day')
    .execute();
  return rows.map((row) => billOf(row, { sessions: Number(row.count), browsers: 0 }));
}

/** Sums the bills of ended standalone browsers, by day. */
export async function closedBrowsers({ db, rules }: Parts, period: CostPeriod): Promise<DayBill[]> {
  const rows = await db
    .selectFrom('browsers')
    .select((eb) => [
      dayOf('started_at').as('day'),
      eb.fn.countAll().as('count'),
      sql`sum(${browserMicros(rules, sql`(finished_at - started_at)`)})`.as('browser'),
      sql`sum(${proxyMicros(rules)})`.as('proxy'),
    ])
    .where('project_id', '=', period.projectId)
    .where('started_at', '>=', period.firstDay * dayMs)
    .where('finished_at', 'is not', null)
    .groupBy(dayOf('started_at'))
    .execute();
  return rows.map((row) => billOf({ ...row, model: 0, simulated: 0 }, { sessions: 0, browsers: Number(row.count) }));
}

/** Returns the price of the started minutes, at least the minimum once a browser has run. */
function browserMicros({ pricing }: RuleBook, ranMs: RawBuilder<unknown>): RawBuilder<number> {
  const { minimumMinutes, microUsdPerHour } = pricing.browser;
  const minutes = dividedUp(sql<number>`${ranMs}`, msPerMinute);
  const billed = sql<number>`case when ${ranMs} <= 0 then 0
    when ${minutes} < ${sql.lit(minimumMinutes)} then ${sql.lit(minimumMinutes)} else ${minutes} end`;
  return dividedUp(sql<number>`(${billed}) * ${sql.lit(microUsdPerHour)}`, minutesPerHour);
}

function proxyMicros({ pricing }: RuleBook): RawBuilder<number> {
  return dividedUp(sql<number>`proxy_bytes * ${sql.lit(pricing.proxy.microUsdPerGigabyte)}`, bytesPerGigabyte);
}

/** Converts a row to a bill. Some databases return sums as texts. */
function billOf(
  row: Readonly<Record<'day' | 'model' | 'simulated' | 'browser' | 'proxy', unknown>>,
  counts: Pick<DayBill, 'sessions' | 'browsers'>,
): DayBill {
  return {
    day: Number(row.day),
    ...counts,
    modelMicros: Number(row.model),
    simulatedMicros: Number(row.simulated),
    browserMicros: Number(row.browser),
    proxyMicros: Number(row.proxy),
  };
}
