import type { RunningBrowsers, StandaloneDeps } from './deps.ts';
import type { DownloadRules } from '#browsers/index.ts';
import type { HostedBrowser } from '#browsers/host.ts';
import { openProxy } from '../run-settings.ts';
import { defaultScreen } from '#contract/screen.ts';
import { downloadBounds } from '#browsers/downloads/downloads.ts';
import { getLimit } from '#contract/rule-book.ts';
import { getDownloadUsage } from '#store/queries/downloads.ts';
import { type BrowserRow, bookTraffic, browserById } from '#store/queries/browsers.ts';
import { isElsewhere } from './among-others.ts';
import { placeUploads } from './browser-uploads.ts';
import { keepDownload } from './downloads.ts';

type Parts = Pick<
  StandaloneDeps,
  | 'db'
  | 'owners'
  | 'blobs'
  | 'vault'
  | 'rules'
  | 'clock'
  | 'host'
  | 'newId'
  | 'log'
  | 'workspaces'
  | 'browserProfiles'
  | 'recordings'
>;

interface Running {
  /**
   * Resolves with the started browser; null if the browser was stopped during the start, runs in another process, or
   * the service is closing.
   */
  readonly starting: Promise<HostedBrowser | null>;
  /** Resolves when the browser responds, before its start is complete. */
  readonly answering: PromiseWithResolvers<void>;
  hasAnswered: boolean;
  /** Resolves when the browser has ended and its traffic is stored, or when its start has failed; never rejects. */
  over: Promise<void>;
  browser: HostedBrowser | null;
  /** Proxy traffic of earlier processes of the same browser, in bytes. */
  earlierBytes: number;
  ended: boolean;
}

/**
 * Creates the registry of running standalone browsers. The registry starts a browser when the browser is first opened,
 * and removes the entry when the browser ends for any reason.
 */
export function createRunningBrowsers(deps: Parts): RunningBrowsers {
  const running = new Map<string, Running>();
  const leaving = new Map<string, Promise<void>>();
  let closing = false;

  const start = (row: BrowserRow): Promise<HostedBrowser | null> => {
    const { entry, resolve, reject } = newEntry();
    // Known before anything is awaited, so that a stop finds a browser that is still being started.
    running.set(row.id, entry);
    const left = leaving.get(row.id);
    launch(deps, { row, entry, left, isClosing: () => closing }).then(resolve, reject);
    entry.over = follow(deps, row.id, entry).finally(() => running.delete(row.id));
    return entry.starting;
  };
  const open = async (row: BrowserRow): Promise<HostedBrowser | null> => {
    if (closing) throw new Error('The service is closing: no browser is started any more.');
    const known = running.get(row.id);
    if (known === undefined) return start(row);
    return known.ended ? another(row, known) : join(row, known);
  };
  const another = async (row: BrowserRow, known: Running): Promise<HostedBrowser | null> => {
    await known.over;
    return open(row);
  };
  const join = async (row: BrowserRow, known: Running): Promise<HostedBrowser | null> => {
    try {
      return await known.starting;
    } catch (error) {
      if (!known.hasAnswered) throw error;
      // The browser responded and ended before its start was complete: a crash, after which the next connection gets a
      // new browser.
      return another(row, known);
    }
  };
  const get = (id: string): HostedBrowser | null => {
    const entry = running.get(id);
    return entry === undefined || entry.ended ? null : entry.browser;
  };
  const stop = (id: string): Promise<void> => end(running.get(id));
  return {
    open,
    async begin(row) {
      const opened = open(row);
      const first = await Promise.race([opened, running.get(row.id)?.answering.promise]);
      noteLateFailure(deps, row.id, opened);
      return first !== null;
    },
    get,
    async leave(id, giveUp) {
      if (running.has(id)) return;
      const left = leaving.get(id) ?? giveUp().finally(() => leaving.delete(id));
      leaving.set(id, left);
      await left;
    },
    async started(id) {
      await Promise.allSettled([running.get(id)?.starting]);
      return get(id);
    },
    trafficBytes: (id) => countBytes(running.get(id)),
    stop,
    ids: () => [...running.keys()],
    async close() {
      closing = true;
      await Promise.all(Array.from(running.keys(), stop));
    },
  };
}

/** Ends a browser, also during its start. */
async function end(entry: Running | undefined): Promise<void> {
  if (entry === undefined) return;
  const [started] = await Promise.allSettled([entry.starting]);
  if (started.status === 'fulfilled') await started.value?.stop();
  await entry.over;
}

/** Logs the failure of a start whose browser has already responded; the next connection starts another browser. */
function noteLateFailure({ log }: Parts, id: string, opened: Promise<unknown>): void {
  opened.catch((error: unknown) =>
    log.warn({ browser: id, err: error }, 'a standalone browser answered and did not come up'),
  );
}

interface NewEntry extends Pick<PromiseWithResolvers<HostedBrowser | null>, 'resolve' | 'reject'> {
  readonly entry: Running;
}

function newEntry(): NewEntry {
  const { promise: starting, resolve, reject } = Promise.withResolvers<HostedBrowser | null>();
  const answering = Promise.withResolvers<void>();
  const over = Promise.resolve();
  return {
    entry: { starting, answering, over, browser: null, hasAnswered: false, earlierBytes: 0, ended: false },
    resolve,
    reject,
  };
}

interface Launch {
  readonly row: BrowserRow;
  readonly entry: Running;
  /** Settles when a pending release of the browser by this process is done; undefined without one. */
  readonly left: Promise<void> | undefined;
  readonly isClosing: () => boolean;
}

async function launch(deps: Parts, { row, entry, left, isClosing }: Launch): Promise<HostedBrowser | null> {
  const { db, host, newId, vault, browserProfiles } = deps;
  // A pending release of the browser by this process must be done first.
  await left;
  if (await isElsewhere(deps, row.id)) return null;
  const { width, height } = defaultScreen;
  const browser = await host.launch({
    use: 'browser',
    // Each start has its own name, because the folder of an earlier process may still be being removed.
    sessionId: newId(),
    screen: { width: row.screenWidth ?? width, height: row.screenHeight ?? height },
    proxyCountryCode: row.proxyCountryCode,
    customProxy: openProxy(vault, row.id, row.customProxy),
    profile: await browserProfiles.open(row.id, row.profileId),
    showsPdf: row.showsPdf === 1,
    allowsResizing: row.allowsResizing === 1,
    downloads: await downloadRules(deps, row.id),
    answered() {
      entry.hasAnswered = true;
      entry.answering.resolve();
    },
    startsWithinMs: getLimit(deps.rules, 'browserStart'),
  });
  try {
    // Reads the current row, because the browser may have been stopped during its start.
    const now = await browserById(db, row.id);
    if (now.status === 'active' && !isClosing()) {
      entry.earlierBytes = now.proxyBytes;
      // Set before the uploads are placed, so that an upload that arrives meanwhile finds the browser.
      entry.browser = browser;
      if (row.enableRecording === 1) deps.recordings.record({ ownerId: row.id, browser, goesOn: true });
      await placeUploads(deps, row.id, browser);
      return browser;
    }
  } catch (error) {
    await browser.stop();
    throw error;
  }
  await browser.stop();
  return null;
}

/** Returns the remaining download limits of a browser: its earlier processes may have downloaded files. */
async function downloadRules(deps: Parts, id: string): Promise<DownloadRules> {
  const { fileBytesMax, bytesMax, filesMax } = downloadBounds(deps.rules);
  const { files, bytes } = await getDownloadUsage(deps.db, id);
  return {
    fileBytesMax,
    bytesMax: Math.max(bytesMax - bytes, 0),
    filesMax: Math.max(filesMax - files, 0),
    keep: (file) => keepDownload(deps, id, file),
  };
}

/** Waits for the end of a browser and books its traffic. */
async function follow({ db, log }: Parts, id: string, entry: Running): Promise<void> {
  const [started] = await Promise.allSettled([entry.starting]);
  // The failure is reported to the caller of the start.
  if (started.status === 'rejected' || started.value === null) return;
  const { expected, detail } = await started.value.ended;
  entry.ended = true;
  if (!expected)
    log.warn({ browser: id, detail }, 'a standalone browser ended unasked: the next connection starts it again');
  try {
    await bookTraffic(db, id, countBytes(entry));
  } catch (error) {
    log.error({ browser: id, err: error }, 'the traffic of a standalone browser could not be written');
  }
}

function countBytes(entry: Running | undefined): number {
  const browser = entry?.browser ?? null;
  return entry === undefined || browser === null ? 0 : entry.earlierBytes + browser.trafficBytes();
}
