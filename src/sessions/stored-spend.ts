import { billOf } from '#contract/money.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { Clock } from '#lib/clock.ts';
import { spentBy } from './meters.ts';
import type { Database } from '#store/database.ts';
import { spentByBrowsers } from '#store/queries/browsers.ts';

/** What a bill is read from where no service runs in this process. */
export interface SpendParts {
  readonly db: Database;
  readonly rules: RuleBook;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * What a project has spent up to now as far as it is stored, in micro-dollars: without the traffic of living browsers that their service
 * has not booked yet.
 */
export async function storedSpend(parts: SpendParts, projectId: string): Promise<number> {
  const { db, rules, clock } = parts;
  const browsers = await spentByBrowsers(db, projectId, (row) => {
    const times = { startedAtMs: row.started_at, finishedAtMs: row.finished_at, periodMinutes: row.timeout_minutes };
    const { browserMicros, proxyMicros } = billOf(
      rules.pricing,
      { ...times, proxyBytes: row.proxy_bytes },
      clock.now(),
    );
    return browserMicros + proxyMicros;
  });
  const sessions = await spentBy(
    { ...parts, sandboxes: { unbookedBytes: () => 0 }, owners: { self: null } },
    projectId,
  );
  return browsers + sessions;
}
