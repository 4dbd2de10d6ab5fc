import type { Periods } from './periods.ts';
import { type SweepParts, sweepOnce } from './sweep-once.ts';

/** Removes what is old, a bounded part at each turn. */
export interface Sweeper {
  /** Takes no more turns; settles when none is under way. */
  close(): Promise<void>;
}

/** How long the first turn waits for a service that starts, and a turn for the one before that left something. */
const soonMs = 1_000;

/** A sweeper on the service's clock. What fails is logged and tried again at the next turn. */
export function createSweeper(parts: SweepParts, periods: Periods): Sweeper {
  const { clock, log, rules } = parts;
  const closing = new AbortController();
  let turn = Promise.resolve();
  let cancel = (): void => undefined;
  const arm = (ms: number): void => {
    if (closing.signal.aborted) return;
    cancel = clock.at(clock.now() + ms, () => {
      turn = takeTurn();
    });
  };
  const takeTurn = async (): Promise<void> => {
    try {
      const isDone = await sweepOnce(parts, periods, closing.signal);
      arm(isDone ? rules.retention.sweep.everyMs : soonMs);
    } catch (error) {
      log.error({ err: error }, 'old things were not removed; the next turn tries again');
      arm(rules.retention.sweep.everyMs);
    }
  };
  if (periods.size > 0) arm(soonMs);
  return {
    async close() {
      closing.abort();
      cancel();
      await turn;
    },
  };
}
