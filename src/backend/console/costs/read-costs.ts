import { sql } from 'kysely';
import type { ConsoleCosts, ConsoleDay, ConsoleModelCost } from '#domain/console-messages.ts';
import { costsOf, picosPerMicro } from '#domain/money.ts';
import type { RuleBook } from '#domain/rule-book.ts';
import type { Database } from '../../storage/database.ts';

const dayMs = 86_400_000;
const msPerMinute = 60_000;

/** Whose costs are read, for how many days. */
export interface CostQuery {
  readonly projectId: string;
  /** Days up to and with today, at least 1. */
  readonly days: number;
  readonly nowMs: number;
}

/** What the day's sandboxes have used, whatever their number. */
interface Used {
  readonly day: number;
  readonly things: number;
  readonly llmPicos: number;
  readonly proxyBytes: number;
  readonly minutes: number;
}

/**
 * Costs of a project by the day that a session or browser began, summed up by the database. Each sum is priced with one rounding, so that a day
 * may differ from the sum of its bills by less than a micro-dollar for each of them.
 */
export async function readCosts(
  { db, rules }: { readonly db: Database; readonly rules: RuleBook },
  query: CostQuery,
): Promise<ConsoleCosts> {
  const today = Math.floor(query.nowMs / dayMs);
  const first = today - query.days + 1;
  const [sessions, browsers] = [await usedBySessions(db, query, first), await usedByBrowsers(db, query, first)];
  const days = Array.from({ length: query.days }, (_none, index) =>
    pricedDay(rules, first + index, {
      sessions: sessions.filter(({ day }) => day === first + index),
      browsers: browsers.filter(({ day }) => day === first + index),
    }),
  );
  return { days, models: await costsOfModels(db, query, first) };
}

function pricedDay(
  rules: RuleBook,
  day: number,
  { sessions, browsers }: Readonly<Record<'sessions' | 'browsers', readonly Used[]>>,
): ConsoleDay {
  const sum = (pick: (used: Used) => number, of: readonly Used[]): number =>
    of.reduce((all, used) => all + pick(used), 0);
  const all = [...sessions, ...browsers];
  const costs = costsOf(rules.pricing, {
    llmPicos: sum(({ llmPicos }) => llmPicos, all),
    proxyBytes: sum(({ proxyBytes }) => proxyBytes, all),
    browserMs: sum(({ minutes }) => minutes, all) * msPerMinute,
  });
  return {
    day: new Date(day * dayMs).toISOString().slice(0, 10),
    sessions: sum(({ things }) => things, sessions),
    browsers: sum(({ things }) => things, browsers),
    llmMicros: costs.llm,
    browserMicros: costs.browser,
    proxyMicros: costs.proxy,
  };
}

/** Numbers of a database may come as texts where they are sums. */
function usedOf(row: Readonly<Record<keyof Used, unknown>>): Used {
  return {
    day: Number(row.day),
    things: Number(row.things),
    llmPicos: Number(row.llmPicos),
    proxyBytes: Number(row.proxyBytes),
    minutes: Number(row.minutes),
  };
}

const dayOf = (column: 'created_at' | 'started_at') => sql<number>`${sql.ref(column)} / ${sql.lit(dayMs)}`;
/** Started minutes. */
const minutesOf = (ms: ReturnType<typeof sql<number>>) =>
  sql<number>`(${ms} + ${sql.lit(msPerMinute - 1)}) / ${sql.lit(msPerMinute)}`;

async function usedBySessions(db: Database, { projectId, nowMs }: CostQuery, first: number): Promise<Used[]> {
  const ran = sql<number>`browser_ms + coalesce(${sql.lit(nowMs)} - browser_since, 0)`;
  const rows = await db
    .selectFrom('sessions')
    .select((eb) => [
      dayOf('created_at').as('day'),
      eb.fn.countAll().as('things'),
      eb.fn.sum('llm_picos').as('llmPicos'),
      eb.fn.sum('proxy_bytes').as('proxyBytes'),
      eb.fn.sum(minutesOf(ran)).as('minutes'),
    ])
    .where('project_id', '=', projectId)
    .where('created_at', '>=', first * dayMs)
    .groupBy(dayOf('created_at'))
    .execute();
  return rows.map(usedOf);
}

async function usedByBrowsers(db: Database, { projectId, nowMs }: CostQuery, first: number): Promise<Used[]> {
  const ran = sql<number>`coalesce(finished_at, ${sql.lit(nowMs)}) - started_at`;
  const rows = await db
    .selectFrom('browsers')
    .select((eb) => [
      dayOf('started_at').as('day'),
      eb.fn.countAll().as('things'),
      sql<number>`0`.as('llmPicos'),
      eb.fn.sum('proxy_bytes').as('proxyBytes'),
      eb.fn.sum(minutesOf(ran)).as('minutes'),
    ])
    .where('project_id', '=', projectId)
    .where('started_at', '>=', first * dayMs)
    .groupBy(dayOf('started_at'))
    .execute();
  return rows.map(usedOf);
}

async function costsOfModels(db: Database, { projectId }: CostQuery, first: number): Promise<ConsoleModelCost[]> {
  const model = sql<string>`coalesce(runs.model, sessions.model)`;
  const rows = await db
    .selectFrom('runs')
    .innerJoin('sessions', 'sessions.id', 'runs.session_id')
    .select((eb) => [model.as('model'), eb.fn.countAll().as('runs'), eb.fn.sum('runs.llm_picos').as('llmPicos')])
    .where('sessions.project_id', '=', projectId)
    .where('sessions.created_at', '>=', first * dayMs)
    .groupBy(model)
    .execute();
  return rows
    .map((row) => ({
      model: row.model,
      runs: Number(row.runs),
      llmMicros: Math.ceil(Number(row.llmPicos) / picosPerMicro),
    }))
    .toSorted((one, other) => other.llmMicros - one.llmMicros || other.runs - one.runs);
}
