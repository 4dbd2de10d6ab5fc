import { randomUUID } from 'node:crypto';
import type { Admission } from '../admission/index.ts';
import type { LaunchOptions } from '../host.ts';
import type { HostLog } from '../host-log.ts';
import type { FreshChromium, LocalBrowserSetup } from '../fresh-chromium.ts';
import type { LocalBrowser } from '../local-browser.ts';
import { fitsWarm } from './fits-warm.ts';
import { createWarmPool } from './warm-pool.ts';

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
export interface WarmParts {
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
  /** Ends what nobody has taken. */
  close(): Promise<void>;
}

const noPool: WarmLaunches = {
  take: async () => null,
  refill: () => undefined,
  ready: 0,
  close: async () => undefined,
};

/** Keeps browsers ready for one host. Each has a folder of its own name, which whoever takes it keeps. */
export function createWarmLaunches({ wanted, prepared, admission, log }: WarmParts): WarmLaunches {
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
