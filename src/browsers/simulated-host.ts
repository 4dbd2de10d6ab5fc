import { TabError } from './tab/tab.ts';
import type { BrowserEnd, BrowserHost, BrowserUploads, HostedBrowser, LaunchOptions } from './host.ts';
import { type CookieJar, createCookieJar } from './simulated/cookie-jar.ts';
import { placeholderFrame } from './simulated/placeholder-frame.ts';
import { createSimulatedEncoder } from './simulated/simulated-encoder.ts';
import { watchSimulated } from './simulated/simulated-view.ts';
import { createSimulatedDevTools } from './simulated/simulated-dev-tools.ts';
import { keepCookies, loadCookies } from './simulated/simulated-profile.ts';
import { createSimulatedTab } from './simulated/simulated-tab.ts';

/** How a simulated host behaves; without options everything works. */
export interface SimulatedHostOptions {
  /** The message that every launch rejects with. @defaultValue launches succeed */
  readonly launchFailure?: string;
}

/** A host without Chromium, with a way to make its browsers crash. */
export interface SimulatedHost extends BrowserHost {
  /** Ends a browser as a crash would: `ended` settles as unexpected. Does nothing when there is no such browser. */
  crash(sessionId: string): void;
}

interface Simulated {
  readonly browser: HostedBrowser;
  readonly end: (end: BrowserEnd) => void;
}

/** A host for the stateful mock and for fast tests: deterministic, without processes, files or a network. */
export function createSimulatedHost(options: SimulatedHostOptions = {}): SimulatedHost {
  const running = new Map<string, Simulated>();
  let closed = false;
  return {
    kind: 'simulated',
    async launch(wanted) {
      if (closed) throw new Error('This browser host is closed.');
      if (running.has(wanted.sessionId)) throw new Error(`A browser named ${wanted.sessionId} is running already.`);
      if (options.launchFailure !== undefined) throw new Error(options.launchFailure);
      const profile = wanted.profile ?? null;
      const jar = createCookieJar(profile === null ? [] : await loadCookies(profile));
      if (closed) throw new Error('This browser host is closed.');
      const simulated = simulate(wanted, jar, async ({ expected }) => {
        running.delete(wanted.sessionId);
        if (profile !== null) await keepCookies(profile, jar.all(), !expected);
      });
      running.set(wanted.sessionId, simulated);
      return simulated.browser;
    },
    figures: () => ({ running: running.size, waiting: 0, ready: 0 }),
    // Its browsers end with the process and have no disk.
    rescue: async () => undefined,
    openEncoder: async () => createSimulatedEncoder(),
    crash(sessionId) {
      running.get(sessionId)?.end({ expected: false, detail: 'The simulated browser crashed.' });
    },
    async close() {
      closed = true;
      await Promise.all(Array.from(running.values(), ({ browser }) => browser.stop()));
    },
  };
}

/** Names without bytes. */
function simulatedUploads(): BrowserUploads {
  const names = new Set<string>();
  return {
    pathOf: (name) => (names.has(name) ? `/simulated/uploads/${name}` : null),
    put: async (name) => void names.add(name),
  };
}

type OnEnd = (end: BrowserEnd) => Promise<void>;

function simulate(wanted: LaunchOptions, jar: CookieJar, onEnd: OnEnd): Simulated {
  const { sessionId, allowsResizing = true } = wanted;
  const isMetered = wanted.proxyCountryCode !== null && (wanted.customProxy ?? null) === null;
  const [died, ended] = [Promise.withResolvers<BrowserEnd>(), Promise.withResolvers<BrowserEnd>()];
  let alive = true;
  let bytes = 0;
  let rule: ((address: string) => boolean) | null = null;
  const devTools = createSimulatedDevTools(() => tab.url(), jar);
  const end = (how: BrowserEnd): void => {
    if (!alive) return;
    alive = false;
    // What a profile was kept with before stays; who reads the end is told.
    const unkept = (error: unknown): BrowserEnd => ({ ...how, detail: `${how.detail} ${String(error)}` });
    died.resolve(how);
    ended.resolve(onEnd(how).then(() => how, unkept));
    devTools.end(how.detail);
  };
  const assertRunning = (): void => {
    if (!alive) throw new TabError('The browser has ended.');
  };
  const tab = createSimulatedTab({
    assertRunning,
    onTraffic: (more) => void (bytes += isMetered ? more : 0),
    mayShow: (address) => rule?.(address) ?? true,
  });
  const ifRunning = async <T>(value: () => T): Promise<T> => {
    assertRunning();
    return value();
  };
  const browser: HostedBrowser = {
    sessionId,
    died: died.promise,
    ended: ended.promise,
    downloadFolder: '/simulated/downloads',
    allowsResizing,
    downloads: () => [],
    uploads: simulatedUploads(),
    attach: (listener) => ifRunning(() => devTools.attach(listener)),
    tab: () => ifRunning(() => tab),
    async confine(mayShow) {
      rule = mayShow;
      if (alive && !(rule?.(await tab.url()) ?? true)) await tab.open('about:blank');
    },
    takeDownloads: () => ({ settled: async () => undefined, cancel: () => undefined, stop: async () => undefined }),
    endTask: async () => undefined,
    screenshot: () => ifRunning(placeholderFrame),
    watch: (viewer) => watchSimulated(tab, viewer),
    trafficBytes: () => bytes,
    async stop() {
      end({ expected: true, detail: 'The simulated browser was stopped.' });
      await ended.promise;
    },
  };
  return { browser, end };
}
