import { liveStates } from '#contract/lifecycle.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { Database } from '#store/database.ts';

/** Sessions of one generation in one state. */
export interface SessionCount {
  readonly generation: string;
  readonly status: string;
  readonly count: number;
}

/** Living sessions by generation and state. Idle ones that outlive their browser are left out: a service may keep millions of them. */
export async function countSessions(db: Database, rules: RuleBook): Promise<readonly SessionCount[]> {
  const busy = liveStates(rules.lifecycle, 'session').filter((state) => state !== 'idle');
  const byState = db
    .selectFrom('sessions')
    .select(({ fn }) => ['generation', 'status', fn.countAll<number>().as('count')])
    .groupBy(['generation', 'status']);
  return [
    ...(await byState.where('status', 'in', busy).execute()),
    ...(await byState.where('resumable', '=', 0).where('status', '=', 'idle').execute()),
  ];
}

/** Messages that wait for their session. */
export async function countWaitingMessages(db: Database): Promise<number> {
  const { count } = await db
    .selectFrom('queue_messages')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow();
  return count;
}
