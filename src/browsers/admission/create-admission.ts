import { within } from '../within.ts';
import { HostBusy } from './host-busy.ts';
import { createWaitEstimate } from './wait-estimate.ts';

/** How many browsers start at once, and who waits. */
export interface AdmissionOptions {
  /** Starts at the same moment; at least 1. */
  readonly places: number;
  /** Length of the line from which on nobody joins it who has no time to wait. */
  readonly waitingMax: number;
  /** Whether the processors have more to do than they can: then one browser starts at a time. Never rejects. */
  readonly isPressed: () => Promise<boolean>;
}

/** Lets browsers start in the order of arrival, no more at once than the machine can serve. */
export interface Admission {
  /**
   * Does a piece of work when it is its turn. With `withinMs` it rejects with HostBusy at once when the line is full, and
   * later when its turn has not come by then; otherwise it waits as long as it takes.
   */
  run<T>(work: () => Promise<T>, withinMs?: number): Promise<T>;
  /** Starts that wait for their turn. */
  readonly waiting: number;
  /** Whether a start would be let in at once and the processors have time for it. */
  isIdle(): Promise<boolean>;
}

/**
 * Browsers start several times slower when more of them start at once than the processors can serve, so everybody waits
 * less when they start one after the other. Whoever cannot be served soon is told so instead of being kept.
 */
export function createAdmission({ places, waitingMax, isPressed }: AdmissionOptions): Admission {
  let running = 0;
  const line: (() => void)[] = [];
  const estimate = createWaitEstimate(places);

  /** Lets in whoever stands first, as far as there are places. One start is always allowed: without any, pressure would never be seen to fall. */
  const advance = async (): Promise<void> => {
    const open = (await isPressed()) ? 1 : places;
    while (running < open) {
      const next = line.shift();
      if (next === undefined) return;
      running += 1;
      next();
    }
  };
  const turn = async (withinMs: number | undefined): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    line.push(resolve);
    void advance();
    if (withinMs === undefined) return promise;
    try {
      await within(withinMs, promise, 'Its turn did not come in time.');
    } catch {
      // Only the time limit can reject here. Whoever was let in at this very moment goes on: the place is taken.
      const index = line.indexOf(resolve);
      if (index === -1) return;
      line.splice(index, 1);
      throw busy();
    }
  };
  const busy = (): HostBusy => new HostBusy(line.length, estimate.forLine(line.length));
  return {
    async run(work, withinMs) {
      if (withinMs !== undefined && line.length >= waitingMax) throw busy();
      await turn(withinMs);
      const stop = estimate.start();
      try {
        return await work();
      } finally {
        stop();
        running -= 1;
        void advance();
      }
    },
    get waiting() {
      return line.length;
    },
    isIdle: async () => running === 0 && line.length === 0 && !(await isPressed()),
  };
}
