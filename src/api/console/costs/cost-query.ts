import { type RawBuilder, sql } from 'kysely';

/** Milliseconds of a day. */
export const dayMs = 86_400_000;

/** The project whose costs are read, and the number of days. */
export interface CostQuery {
  readonly projectId: string;
  /** Number of days including today, at least 1. */
  readonly days: number;
  readonly nowMs: number;
}

/** A query with its first day, in days since 1970. */
export interface CostPeriod extends CostQuery {
  readonly firstDay: number;
}

/** Returns an expression for the day (UTC) of a time column, in days since 1970. */
export function dayOf(column: string): RawBuilder<number> {
  return sql<number>`${sql.ref(column)} / ${sql.lit(dayMs)}`;
}

/** Returns an expression for a quotient of integers, rounded up. */
export function dividedUp(amount: RawBuilder<number>, divisor: number): RawBuilder<number> {
  return sql<number>`((${amount}) + ${sql.lit(divisor - 1)}) / ${sql.lit(divisor)}`;
}

/**
 * Cost of a session's model calls, in whole pico-dollars (PostgreSQL sums to a numeric). The rest of its token cost is
 * simulated.
 */
export const modelPicos = sql<number>`cast(coalesce((select sum(answered.llm_picos) from runs as answered
  where answered.session_id = sessions.id and answered.answered_by = 'model'), 0) as bigint)`;
