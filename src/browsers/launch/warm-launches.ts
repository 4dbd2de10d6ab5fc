import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Admission } from '../admission.ts';
import type { FreshChromium, LocalBrowserSetup } from '../fresh-chromium.ts';
import type { LaunchOptions } from '../host.ts';
import type { HostLog } from '../host-log.ts';
import type { LocalBrowser } from '../local-browser.ts';

/** Which browsers are kept ready. */
export interface WarmOptions {
  /** How many, at least 0. */
  readonly size: number;
  /** What they are started with: what most browsers are started with. */
  readonly like: Omit<LaunchOptions, 'sessionId'>;
  /** Settles when the first of them may be started before anybody wants a browser. @defaultValue at once */
  readonly from?: Promise<void>;
}

/** What a host lends to its pool. */
export interface WarmDeps {
  /** Null for a host without a pool. */
  readonly wanted: WarmOptions | null;
  readonly prepared: () => Promise<LocalBrowserSetup>;
  readonly admission: Admission;
  readonly log: HostLog;
}

/** The launches that need no start. */
export interface WarmLaunches {
  /** A browser that was kept ready, as what is wanted; null when none is ready or none fits. */
  take(setup: LocalBrowserSetup, options: LaunchOptions): Promise<LocalBrowser | null>;
  /** Begins to start what is missing. */
  refill(): void;
  /** Browsers that are ready. */
  readonly ready: number;
  /** Ends the browsers that were not taken. */
  close(): Promise<void>;
}

const noPool: WarmLaunches = {
  take: async () => null,
  refill: () => undefined,
  ready: 0,
  close: async () => undefined,
};

/** Creates the warm launches of a host. Each browser has its own folder name, which stays with it. */
export function createWarmLaunches({ wanted, prepared, admission, log }: WarmDeps): WarmLaunches {
  if (wanted === null) return noPool;
  const { size, like } = wanted;
  const pool = createWarmPool<FreshChromium>({
    size,
    start: async () => {
      const [setup, { warmUpChromium }] = await Promise.all([prepared(), import('../fresh-chromium.ts')]);
      return admission.run(() => warmUpChromium(setup, { ...like, sessionId: randomUUID() }));
    },
    gone: ({ chromium }) => chromium.gone,
    end: async (fresh) => (await import('../fresh-chromium.ts')).abandonChromium(fresh),
    mayStart: () => admission.isIdle(),
    log,
  });
  return {
    async take(setup, options) {
      const fresh = fitsWarm({ ...like, sessionId: '' }, options) ? pool.take() : null;
      if (fresh === null) return null;
      try {
        const { takeChromium } = await import('../local-browser.ts');
        return await takeChromium({ setup, options, fresh });
      } catch (error) {
        log.warn({ err: error }, 'a browser that was kept ready could not be used: another is started');
        return null;
      }
    },
    refill: () => pool.refill(),
    get ready() {
      return pool.ready;
    },
    close: () => pool.close(),
  };
}

/** What a running browser can be given without a trace. Everything else, also what is added later, is fixed at its start. */
const GIVEN_LATER = new Set<string>([
  'sessionId',
  'use',
  'allowsResizing',
  'downloads',
  'answered',
  'startsWithinMs',
  'signal',
] satisfies (keyof LaunchOptions)[]);

/** Returns whether a browser started with some options can serve a launch with others. */
export function fitsWarm(started: LaunchOptions, wanted: LaunchOptions): boolean {
  return isDeepStrictEqual(fixedAtStart(started), fixedAtStart(wanted));
}

/** Null and the default are the same as nothing. */
function fixedAtStart({ showsPdf = true, ...rest }: LaunchOptions): object {
  const members = Object.entries({ ...rest, showsPdf });
  return Object.fromEntries(members.filter(([name, value]) => !GIVEN_LATER.has(name) && (value ?? null) !== null));
}

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
  /** Returns whether the machine is idle enough for a background start. */
  readonly mayStart: () => Promise<boolean>;
  readonly log: HostLog;
}

/** Clean browsers that are started in advance. */
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
      // Not replaced before the next launch: a browser that cannot run would otherwise be restarted endlessly.
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
