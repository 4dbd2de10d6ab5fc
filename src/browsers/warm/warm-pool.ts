import { setTimeout as delay } from 'node:timers/promises';
import type { HostLog } from '../host-log.ts';

/** How often a pool that had to wait for the processors looks again. */
const LOOK_AGAIN_MS = 1_000;

/** How a pool gets its browsers. */
export interface WarmPoolOptions<Fresh> {
  /** Browsers that are kept ready; 0 keeps none. */
  readonly size: number;
  /** Starts one; leaves nothing behind when it rejects. */
  readonly start: () => Promise<Fresh>;
  /** Settles when a browser that waits here has ended by itself; never rejects. */
  readonly gone: (fresh: Fresh) => Promise<unknown>;
  /** Ends one with everything that it has. */
  readonly end: (fresh: Fresh) => Promise<void>;
  /** Whether the machine has time to start one that nobody waits for. */
  readonly mayStart: () => Promise<boolean>;
  readonly log: HostLog;
}

/** Clean browsers that have been started before somebody wants them. */
export interface WarmPool<Fresh> {
  /** One that has never been handed out, or null when none is ready. It is the caller's from then on. */
  take(): Fresh | null;
  /** Begins to start what is missing, one at a time and only while the machine has time for it. */
  refill(): void;
  /** Browsers that are ready. */
  readonly ready: number;
  /** Ends all of them; idempotent. */
  close(): Promise<void>;
}

/** An empty pool; nothing is started before `refill`. What leaves it never comes back. */
export function createWarmPool<Fresh>(options: WarmPoolOptions<Fresh>): WarmPool<Fresh> {
  const { size, start, end, mayStart, log } = options;
  const ready: Fresh[] = [];
  const closing = new AbortController();
  let filling: Promise<void> | null = null;

  const keep = (fresh: Fresh): void => {
    ready.push(fresh);
    void options.gone(fresh).then(async () => {
      const index = ready.indexOf(fresh);
      // Handed out: its end is its owner's.
      if (index === -1) return;
      ready.splice(index, 1);
      // Not replaced before somebody wants a browser: one that cannot live would be started for ever.
      log.warn({}, 'a browser that was kept ready has ended');
      await endLoudly(fresh);
    });
  };
  const endLoudly = async (fresh: Fresh): Promise<void> => {
    try {
      await end(fresh);
    } catch (error) {
      log.warn({ err: error }, 'a browser that was kept ready left something behind');
    }
  };
  const fill = async (): Promise<void> => {
    while (ready.length < size && !closing.signal.aborted) {
      if (await mayStart()) keep(await start());
      else await delay(LOOK_AGAIN_MS, undefined, { signal: closing.signal, ref: false });
    }
  };
  const filled = (error: unknown): void => {
    filling = null;
    if (error !== undefined && !closing.signal.aborted)
      log.warn({ err: error }, 'no browser could be started to be kept ready');
  };
  return {
    take: () => ready.shift() ?? null,
    refill() {
      if (closing.signal.aborted) return;
      filling ??= fill().then(() => filled(undefined), filled);
    },
    get ready() {
      return ready.length;
    },
    async close() {
      closing.abort();
      await filling;
      await Promise.all(ready.splice(0).map(endLoudly));
    },
  };
}
