import { type RawBuilder, sql } from 'kysely';
import type { Worker } from '#contract/lifecycle.ts';
import { picosPerMicro } from '#contract/money.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { SessionRow } from '../tables/sessions.ts';
import type { BrowserRow } from './browsers.ts';
import type { Executor } from '../executor.ts';

/** Milliseconds of a day. */
export const dayMs = 86_400_000;

const msPerMinute = 60_000;
const minutesPerHour = 60;
const bytesPerGigabyte = 1_000_000_000;

/** Filter for the sessions and browsers of a project that began on a given day or later. */
export interface CostPeriod {
  readonly projectId: string;
  /** First day (UTC) of the period, as the number of days since 1970-01-01. */
  readonly firstDay: number;
}

/** Bills of one day, in micro-dollars. */
export interface DayBill {
  /** The day (UTC), as the number of days since 1970-01-01. */
  readonly day: number;
  readonly sessions: number;
  readonly browsers: number;
  readonly modelMicros: number;
  readonly simulatedMicros: number;
  readonly browserMicros: number;
  readonly proxyMicros: number;
}

type Pricing = RuleBook['pricing'];

/** Returns the SQL of the UTC day of a time column, as the number of days since 1970. */
function toDay(column: string): RawBuilder<number> {
  return sql<number>`${sql.ref(column)} / ${sql.lit(dayMs)}`;
}

/** Returns the SQL of an amount divided by a divisor, both whole numbers, rounded up. */
function dividedUp(amount: RawBuilder<number>, divisor: number): RawBuilder<number> {
  return sql<number>`((${amount}) + ${sql.lit(divisor - 1)}) / ${sql.lit(divisor)}`;
}

/**
 * SQL of the token cost of those runs of a session that a model answered, in whole pico-dollars; at most the largest
 * number that a driver can read. The other tokens of the session were simulated. The cast is for PostgreSQL, where a
 * sum has the type numeric.
 */
const modelPicos = sql<number>`cast((select case when sum(answered.llm_picos) > ${sql.lit(Number.MAX_SAFE_INTEGER)}
  then ${sql.lit(Number.MAX_SAFE_INTEGER)} else coalesce(sum(answered.llm_picos), 0) end from runs as answered
  where answered.session_id = sessions.id and answered.answered_by = 'model') as bigint)`;

/**
 * Adds up the bills of sessions without a running browser, by the day of their creation; rounds each bill as
 * `priceMeters` does.
 */
export async function sumClosedSessions(db: Executor, pricing: Pricing, period: CostPeriod): Promise<DayBill[]> {
  const micros = dividedUp(sql<number>`llm_picos`, picosPerMicro);
  const modelMicros = dividedUp(sql<number>`model_picos`, picosPerMicro);
  const rows = await db
    .selectFrom(
      db
        .selectFrom('sessions')
        .select(['llmPicos', 'proxyBytes', 'browserMs', toDay('createdAt').as('day'), modelPicos.as('modelPicos')])
        .where('projectId', '=', period.projectId)
        .where('createdAt', '>=', period.firstDay * dayMs)
        .where('browserSince', 'is', null)
        .as('billed'),
    )
    .select((eb) => [
      'day',
      eb.fn.countAll().as('count'),
      sql`sum(${modelMicros})`.as('model'),
      sql`sum(${micros} - ${modelMicros})`.as('simulated'),
      sql`sum(${browserMicros(pricing, sql`browser_ms`)})`.as('browser'),
      sql`sum(${proxyMicros(pricing)})`.as('proxy'),
    ])
    .groupBy('day')
    .execute();
  return rows.map((row) => toDayBill(row, { sessions: Number(row.count), browsers: 0 }));
}

/** Adds up the bills of ended standalone browsers, by the day of their start. */
export async function sumClosedBrowsers(db: Executor, pricing: Pricing, period: CostPeriod): Promise<DayBill[]> {
  const rows = await db
    .selectFrom('browsers')
    .select((eb) => [
      toDay('startedAt').as('day'),
      eb.fn.countAll().as('count'),
      sql`sum(${browserMicros(pricing, sql`(finished_at - started_at)`)})`.as('browser'),
      sql`sum(${proxyMicros(pricing)})`.as('proxy'),
    ])
    .where('projectId', '=', period.projectId)
    .where('startedAt', '>=', period.firstDay * dayMs)
    .where('finishedAt', 'is not', null)
    .groupBy(toDay('startedAt'))
    .execute();
  return rows.map((row) => toDayBill({ ...row, model: 0, simulated: 0 }, { sessions: 0, browsers: Number(row.count) }));
}

/**
 * Returns the SQL of the cost of a browser's running time in micro-dollars. Each started minute counts, and at least
 * the minimum number of minutes; a browser that did not run costs nothing.
 */
function browserMicros(pricing: Pricing, ranMs: RawBuilder<unknown>): RawBuilder<number> {
  const { minimumMinutes, microUsdPerHour } = pricing.browser;
  const minutes = dividedUp(sql<number>`${ranMs}`, msPerMinute);
  const billed = sql<number>`case when ${ranMs} <= 0 then 0
    when ${minutes} < ${sql.lit(minimumMinutes)} then ${sql.lit(minimumMinutes)} else ${minutes} end`;
  return dividedUp(sql<number>`(${billed}) * ${sql.lit(microUsdPerHour)}`, minutesPerHour);
}

function proxyMicros(pricing: Pricing): RawBuilder<number> {
  return dividedUp(sql<number>`proxy_bytes * ${sql.lit(pricing.proxy.microUsdPerGigabyte)}`, bytesPerGigabyte);
}

/** Converts sums to numbers, because a database may return them as text. */
function toDayBill(
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

/** A session with a living browser, and the cost of its model calls in pico-dollars. */
export interface OpenSession {
  readonly session: SessionRow;
  readonly modelPicos: number;
}

/** Returns the sessions that began in a period and have a running browser now. */
export async function listOpenSessions(db: Executor, { projectId, firstDay }: CostPeriod): Promise<OpenSession[]> {
  const rows = await db
    .selectFrom('sessions')
    .selectAll()
    .select(modelPicos.as('modelPicos'))
    .where('projectId', '=', projectId)
    .where('createdAt', '>=', firstDay * dayMs)
    .where('browserSince', 'is not', null)
    .execute();
  return rows.map(({ modelPicos: picos, ...session }) => ({ session, modelPicos: picos }));
}

/** Returns the standalone browsers that began in a period and are running now. */
export function listOpenBrowsers(db: Executor, { projectId, firstDay }: CostPeriod): Promise<BrowserRow[]> {
  return db
    .selectFrom('browsers')
    .selectAll()
    .where('projectId', '=', projectId)
    .where('startedAt', '>=', firstDay * dayMs)
    .where('finishedAt', 'is', null)
    .execute();
}

/** Cost of all runs with the same worker and model. */
export interface ModelCost {
  readonly answeredBy: Worker;
  /** Name of the model; null for runs that no model answered. */
  readonly model: string | null;
  readonly runs: number;
  readonly llmMicros: number;
}

/**
 * Returns the cost of the runs in all sessions that began in a period, by worker and model, the highest cost first. The
 * cost of each run is rounded up to whole micro-dollars. Runs without a known worker are left out.
 */
export async function sumModelCosts(db: Executor, { projectId, firstDay }: CostPeriod): Promise<ModelCost[]> {
  const rows = await db
    .selectFrom(
      db
        .selectFrom('runs')
        .innerJoin('sessions', 'sessions.id', 'runs.sessionId')
        .select((eb) => [
          'runs.llmPicos',
          eb.ref('runs.answeredBy').$notNull().as('answeredBy'),
          sql<string | null>`case when runs.answered_by = 'model' then coalesce(runs.model, sessions.model) end`.as(
            'model',
          ),
        ])
        .where('runs.answeredBy', 'is not', null)
        .where('sessions.projectId', '=', projectId)
        .where('sessions.createdAt', '>=', firstDay * dayMs)
        .as('worked'),
    )
    .select((eb) => [
      'answeredBy',
      'model',
      eb.fn.countAll().as('runs'),
      sql`sum(${dividedUp(sql<number>`llm_picos`, picosPerMicro)})`.as('micros'),
    ])
    .groupBy(['answeredBy', 'model'])
    .execute();
  return rows
    .map(({ answeredBy, model, runs, micros }) => ({
      answeredBy,
      model,
      runs: Number(runs),
      llmMicros: Number(micros),
    }))
    .toSorted((one, other) => other.llmMicros - one.llmMicros || other.runs - one.runs);
}
