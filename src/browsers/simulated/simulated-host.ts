import { gzipSync } from 'node:zlib';
import type { JsonObject } from '#lib/json.ts';
import type { BrowserEnd, BrowserHost, BrowserUploads, FrameEncoder, HostedBrowser, LaunchOptions } from '../host.ts';
import type { LiveSeat, LiveViewer } from '../live/live-viewer.ts';
import { packArchive } from '../profile/archive-format.ts';
import { packedText, readArchive } from '../profile/archive.ts';
import { carriedName, cookieDomains, isSessionCookie, writeCarried } from '../profile/carried-state.ts';
import type { BrowserProfile } from '../profile/browser-profile.ts';
import { type Tab, TabError } from '../tab/tab.ts';
import { type CookieJar, createCookieJar, createSimulatedDevTools } from './simulated-dev-tools.ts';
import { createSimulatedTab, placeholderFrame } from './simulated-tab.ts';

/** Options of a simulated host. */
export interface SimulatedHostOptions {
  /** Message with which every launch rejects. @defaultValue launches succeed */
  readonly launchFailure?: string;
}

/** A host without Chromium that can simulate crashes. */
export interface SimulatedHost extends BrowserHost {
  /**
   * Simulates a crash of the session's browser: `ended` resolves with `expected: false`. Does nothing if the session
   * has no running browser.
   */
  crash(sessionId: string): void;
}

interface Simulated {
  readonly browser: HostedBrowser;
  readonly end: (end: BrowserEnd) => void;
}

/**
 * Creates a host of simulated browsers, for the stateful mock and for fast tests. They are deterministic and use no
 * processes, files or network.
 */
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
    // Simulated browsers end with the process and have no disk.
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

/** Creates uploads that store names without bytes. */
function simulatedUploads(): BrowserUploads {
  const names = new Set<string>();
  return {
    findPath: (name) => (names.has(name) ? `/simulated/uploads/${name}` : null),
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
    // The previous state of the profile stays; the reason is part of the browser's end.
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

/** A white key frame in VP8 of 16 x 10 pixels. */
const whiteVp8 = 'EAIAnQEqEAAKAAAHCIWFiJmEiAEkEABgawD+/7qDAA==';

/** Creates an encoder that returns the same white frame for every JPEG. */
export function createSimulatedEncoder(): FrameEncoder {
  return {
    encode: async (_jpeg, { timeMs }) => [{ data: Buffer.from(whiteVp8, 'base64'), isKey: true, timeMs }],
    close: async () => undefined,
  };
}

/**
 * Loads the cookies that a simulated browser saved to a profile. A simulated browser saves no other state. Cookies in
 * the user data of a real browser are not read.
 */
async function loadCookies(profile: BrowserProfile): Promise<readonly JsonObject[]> {
  const archive = await profile.load();
  return archive === null ? [] : (await readArchive(archive, null)).cookies;
}

/** Saves the cookies of a simulated browser to its profile. After a crash, omits session cookies. */
async function keepCookies(profile: BrowserProfile, cookies: readonly JsonObject[], crashed: boolean): Promise<void> {
  const kept = crashed ? cookies.filter((cookie) => !isSessionCookie(cookie)) : cookies;
  const pieces: Uint8Array[] = [];
  const carried = writeCarried({ cookies: kept, permissions: [] });
  for await (const piece of packArchive([packedText(carriedName, carried)])) pieces.push(piece);
  const bytes = gzipSync(Buffer.concat(pieces));
  async function* whole(): AsyncGenerator<Uint8Array> {
    yield bytes;
  }
  await profile.keep({ bytes: whole(), size: bytes.length, cookieDomains: crashed ? null : cookieDomains(kept) });
}

const screen = { width: 1280, height: 800 };
const id = 'SIMULATED-PAGE';

/**
 * Shows the only tab of a simulated browser to a viewer once: its title, its URL and a placeholder picture. Input of
 * the viewer has no effect.
 */
async function watchSimulated(tab: Pick<Tab, 'url' | 'title'>, viewer: LiveViewer): Promise<LiveSeat> {
  const page = { id: id, title: await tab.title(), url: await tab.url() };
  const nothing = { dialog: null, trouble: null, canResize: false };
  viewer.scene({ tabs: [page], active: id, ...nothing, isSimulated: true });
  viewer.picture({ jpeg: placeholderFrame(), ...screen });
  return {
    wanted: () => undefined,
    input: () => undefined,
    order: async ({ type }) => (type === 'copy' ? '' : null),
    leave: async () => undefined,
  };
}
