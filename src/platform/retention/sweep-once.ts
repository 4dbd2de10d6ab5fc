import { setImmediate } from 'node:timers/promises';
import { endStates } from '#contract/lifecycle.ts';
import type { RuleBook } from '#contract/rule-book.ts';
import type { Clock } from '#lib/clock.ts';
import { findOld } from './find-old.ts';
import type { Periods } from './periods.ts';
import { type RemoveParts, removeOld } from './remove-old.ts';

/** Everything that sweeping works with. */
export interface SweepParts extends RemoveParts {
  readonly clock: Clock;
  readonly rules: RuleBook;
  /** Makes an unguessable token for an address. */
  readonly newToken: () => string;
}

/** One turn over all kinds; answers whether nothing old can be left. */
export async function sweepOnce(parts: SweepParts, periods: Periods, signal: AbortSignal): Promise<boolean> {
  const { clock, rules, db, log, newToken } = parts;
  const limit = rules.retention.sweep.atOnce;
  const ended = endStates(rules.lifecycle, 'session');
  let isDone = true;
  for (const [kind, period] of periods) {
    const query = { ended, before: clock.now() - period };
    const found = await findOld(kind, { ...query, db, limit, only: null });
    let removed = 0;
    for (const { id } of found) {
      if (signal.aborted) return true;
      if (await removeOld(parts, { kind, id, query, erasure: { now: clock.now(), newToken } })) removed += 1;
      // The database works on this thread: requests come in between.
      await setImmediate();
    }
    if (removed > 0) log.info({ kind, removed }, 'old things were removed');
    if (found.length === limit) isDone = false;
  }
  return isDone;
}
