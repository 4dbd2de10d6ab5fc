import { type RawBuilder, sql } from 'kysely';

/** Milliseconds of a day. */
export const dayMs = 86_400_000;

/** Whose costs are read, for how many days. */
export interface CostQuery {
  readonly projectId: string;
  /** Days up to and with today, at least 1. */
  readonly days: number;
  readonly nowMs: number;
}

/** A query with the number of its first day since 1970. */
export interface CostPeriod extends CostQuery {
  readonly firstDay: number;
}

/** Returns the number of the day (UTC) since 1970 of a time in the database. */
export function dayOf(column: string): RawBuilder<number> {
  return sql<number>`${sql.ref(column)} / ${sql.lit(dayMs)}`;
}

/** Returns a quotient of whole numbers, rounded up. */
export function dividedUp(amount: RawBuilder<number>, divisor: number): RawBuilder<number> {
  return sql<number>`((${amount}) + ${sql.lit(divisor - 1)}) / ${sql.lit(divisor)}`;
}

/** Cost of the calls of models among the tokens of a session, in whole pico-dollars: PostgreSQL sums to a numeric. What is left was simulated. */
export const modelPicos = sql<number>`cast(coalesce((select sum(answered.llm_picos) from runs as answered
  where answered.session_id = sessions.id and answered.answered_by = 'model'), 0) as bigint)`;
