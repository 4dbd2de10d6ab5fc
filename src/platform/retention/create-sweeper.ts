import type { Periods } from './periods.ts';
import { type SweepParts, sweepOnce } from './sweep-once.ts';

/** Removes what is old, a bounded part at each turn. */
export interface Sweeper {
  /** Takes no more turns; settles when none is under way. */
  close(): Promise<void>;
}

/** How long the first turn waits for a service that starts, and a turn for the one before that left something. */
const soonMs = 1_000;

/** Everything that a sweeper works with. */
export interface SweeperParts extends SweepParts {
  /** Lets a turn be taken unless another process of the service is at one; answers whether it was. @defaultValue there is no other */
  readonly sweepAlone?: (sweep: () => Promise<void>) => Promise<boolean>;
}

/** A sweeper on the service's clock; of several processes one sweeps at a time. What fails is logged and tried again at the next turn. */
export function createSweeper(parts: SweeperParts, periods: Periods): Sweeper {
  const { clock, log, rules, sweepAlone = alone } = parts;
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
      let isDone = true;
      await sweepAlone(async () => {
        isDone = await sweepOnce(parts, periods, closing.signal);
      });
      // What another process is at is done by it.
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

async function alone(sweep: () => Promise<void>): Promise<boolean> {
  await sweep();
  return true;
}
