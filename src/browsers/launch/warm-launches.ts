import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Admission } from '../admission.ts';
import type { FreshChromium, LocalBrowserSetup } from '../fresh-chromium.ts';
import type { LaunchOptions } from '../host.ts';
import type { HostLog } from '../host-log.ts';
import type { LocalBrowser } from '../local-browser.ts';

/** Options of the pool of started browsers. */
export interface WarmOptions {
  /** Number of browsers in the pool, at least 0. */
  readonly size: number;
  /** Launch options with which browsers are started in advance. Most launches should request the same options. */
  readonly like: Omit<LaunchOptions, 'sessionId'>;
  /** Resolves when the first browser may be started in advance. @defaultValue at once */
  readonly from?: Promise<void>;
}

/** Dependencies of the pool of started browsers. */
export interface WarmDeps {
  /** Options of the pool; null for a host that starts no browsers in advance. */
  readonly wanted: WarmOptions | null;
  readonly prepared: () => Promise<LocalBrowserSetup>;
  readonly admission: Admission;
  readonly log: HostLog;
}

/** Pool of browsers that are started in advance, for launches with the usual options. */
export interface WarmLaunches {
  /**
   * Takes a browser from the pool and applies the requested options. Returns null when no browser is ready, when the
   * options do not fit, or when the browser fails; the failure is logged.
   */
  take(setup: LocalBrowserSetup, options: LaunchOptions): Promise<LocalBrowser | null>;
  /** Starts missing browsers in the background. */
  refill(): void;
  /** Number of ready browsers. */
  readonly ready: number;
  /** Ends the unused browsers. */
  close(): Promise<void>;
}

const noPool: WarmLaunches = {
  take: async () => null,
  refill: () => undefined,
  ready: 0,
  close: async () => undefined,
};

/**
 * Creates the pool of a host; it starts browsers only after `refill`. A browser's folder keeps its random name when a
 * launch takes the browser.
 */
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

/**
 * Launch options that can be applied to a browser after its start, with the same result. Every option that is not in
 * this list must be equal to that of the started browser.
 */
const givenLater = new Set<string>([
  'sessionId',
  'use',
  'allowsResizing',
  'downloads',
  'answered',
  'startsWithinMs',
  'signal',
] satisfies (keyof LaunchOptions)[]);

/**
 * Returns whether a browser that was started in advance with the options `started` can serve a launch with the options
 * `wanted`.
 */
export function fitsWarm(started: LaunchOptions, wanted: LaunchOptions): boolean {
  return isDeepStrictEqual(fixedAtStart(started), fixedAtStart(wanted));
}

/**
 * Returns the launch options that must be known when the browser starts. Omits null members, and sets the default of
 * `showsPdf`.
 */
function fixedAtStart({ showsPdf = true, ...rest }: LaunchOptions): object {
  const members = Object.entries({ ...rest, showsPdf });
  return Object.fromEntries(members.filter(([name, value]) => !givenLater.has(name) && (value ?? null) !== null));
}

/** Interval in milliseconds at which a pool checks whether the machine has become idle. */
const lookAgainMs = 1_000;

/** Dependencies of a pool of unused browsers. */
export interface WarmPoolOptions<Fresh> {
  /** Number of browsers that the pool keeps ready; 0 disables the pool. */
  readonly size: number;
  /** Starts a browser; leaves nothing behind when it rejects. */
  readonly start: () => Promise<Fresh>;
  /** Resolves when all processes of a browser have ended, for any reason; never rejects. */
  readonly gone: (fresh: Fresh) => Promise<unknown>;
  /** Ends a browser and removes its resources. */
  readonly end: (fresh: Fresh) => Promise<void>;
  /** Returns whether the machine is idle enough for a background start. */
  readonly mayStart: () => Promise<boolean>;
  readonly log: HostLog;
}

/** A pool of unused browsers. */
export interface WarmPool<Fresh> {
  /**
   * Removes the oldest ready browser from the pool and returns it; null when no browser is ready. The caller then owns
   * the browser.
   */
  take(): Fresh | null;
  /**
   * Starts missing browsers in the background, one after the other; waits with each start until the machine is idle.
   */
  refill(): void;
  /** Number of ready browsers. */
  readonly ready: number;
  /** Ends all browsers of the pool; idempotent. */
  close(): Promise<void>;
}

/** Creates an empty pool; `refill` starts browsers. A browser that was taken never returns to the pool. */
export function createWarmPool<Fresh>(options: WarmPoolOptions<Fresh>): WarmPool<Fresh> {
  const { size, start, end, mayStart, log } = options;
  const ready: Fresh[] = [];
  const closing = new AbortController();
  let filling: Promise<void> | null = null;

  const keep = (fresh: Fresh): void => {
    ready.push(fresh);
    void options.gone(fresh).then(async () => {
      const index = ready.indexOf(fresh);
      // The browser was taken; its owner handles its end.
      if (index === -1) return;
      ready.splice(index, 1);
      // Replaced only at the next launch: a Chromium that cannot run would otherwise be restarted endlessly.
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
      else await delay(lookAgainMs, undefined, { signal: closing.signal, ref: false });
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
