import { sql } from 'kysely';
import type { Database } from './database.ts';

/**
 * Counts something once more in a period, which is a number that grows; answers how often every process together has counted it in that
 * period. One whose clock is a little behind counts for the period that has begun. A statement of its own, which waits for no other
 * transaction and not for the disk.
 */
export async function countTogether(db: Database, name: string, period: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    insert into request_counts (name, period, count) values (${name}, ${period}, 1)
    on conflict (name) do update set
      count = case when excluded.period > request_counts.period then 1 else request_counts.count + 1 end,
      period = case when excluded.period > request_counts.period then excluded.period else request_counts.period end
    returning count`.execute(db);
  return rows[0]?.count ?? 1;
}
