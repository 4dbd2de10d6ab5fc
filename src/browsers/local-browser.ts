import { randomUUID } from 'node:crypto';
import { chmod, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { claimDownloads } from './downloads/claim-downloads.ts';
import { type DownloadWatch, watchDownloads } from './downloads/watch-downloads.ts';
import { noDownloads } from './downloads/downloads.ts';
import type { EgressGate } from './egress/egress-gate.ts';
import {
  abandonChromium,
  type FreshChromium,
  type LocalBrowserSetup,
  reachPages,
  startChromium,
} from './fresh-chromium.ts';
import type { BrowserEnd, BrowserUploads, HostedBrowser, LaunchOptions } from './host.ts';
import type { HostLog } from './host-log.ts';
import { type BrowserFolder, removeBrowserFolder } from './launch/browser-folder.ts';
import { isMissing } from '#lib/system-errors.ts';
import { keepPosition } from './launch/exit-location.ts';
import { type ChromiumProcess, closeChromium } from './launch/spawn-chromium.ts';
import { createLocalView } from './live/create-local-view.ts';
import { attachGuest } from './attach-guest.ts';
import { CdpMux } from './pipe/cdp-mux.ts';
import { createTraceStreams } from './pipe/trace-streams.ts';
import type { ProfileKeeper } from './profile/profile-keeper.ts';
import { behindDisguise } from './stealth/behind-disguise.ts';
import { cancelPageWork } from './tab/cancel-page-work.ts';
import { createConfinement, leaveForbiddenPages } from './tab/confinement.ts';
import { createDialogWatch } from './tab/dialogs.ts';
import { followForeground, takeScreenshot } from './tab/foreground.ts';
import { createStepRunner, type PendingSteps } from './tab/step-runner.ts';
import { createPlaywrightTab } from './tab/playwright-tab.ts';

/** A hosted browser that external DevTools clients can join. */
export interface LocalBrowser extends HostedBrowser {
  readonly mux: CdpMux;
  /** Id of the main process and of its process group. */
  readonly pid: number;
}

/** Starts a Chromium with its folder and egress proxy; leaves nothing behind when it rejects. */
export async function launchLocalBrowser(setup: LocalBrowserSetup, options: LaunchOptions): Promise<LocalBrowser> {
  return takeChromium({ setup, options, fresh: await startChromium(setup, options) });
}

/** Creates a hosted browser from a started Chromium; ends the Chromium and removes its resources when it rejects. */
export async function takeChromium(deps: TakeDeps): Promise<LocalBrowser> {
  const { mux } = deps.fresh;
  // An unresponsive browser is reported by the wait for its pages.
  mux.command('Browser.getVersion').then(deps.options.answered, () => undefined);
  try {
    return await connect({ ...deps, ...deps.fresh });
  } catch (error) {
    await abandonChromium(deps.fresh);
    throw error;
  }
}

/** Dependencies of {@link takeChromium}. */
interface TakeDeps {
  readonly setup: LocalBrowserSetup;
  readonly options: LaunchOptions;
  readonly fresh: FreshChromium;
}

async function connect(deps: TakeDeps & FreshChromium): Promise<LocalBrowser> {
  const { setup, options, exit, folder, gate, chromium, mux, keeper } = deps;
  const { context, disguise } = deps.pages ?? (await reachPages(setup, deps));
  const bytesBefore = gate.trafficBytes();
  const permissions = await keeper.restore(mux);
  const downloads = await watchDownloads({ mux, folder, rules: options.downloads ?? noDownloads, log: setup.log });
  const position = await keepPosition(mux, exit.place);
  const foreground = followForeground(context);
  const confinement = createConfinement(mux);
  const dialogs = createDialogWatch(context, setup.log);
  const pending: PendingSteps = new Set();
  const getRefusal = (hostname: string): string | null => gate.getRefusal(hostname);
  const around = { foreground, confinement, downloads, dialogs: dialogs.answers, getRefusal };
  const allowsResizing = options.allowsResizing ?? true;
  const view = createLocalView({ mux, foreground, dialogs, canResize: allowsResizing, log: setup.log });
  const fronted = (id: string): void => view.fronted(id);
  const life = followLife(deps, downloads);
  const { died, ended, endedFor } = life;
  const traces = createTraceStreams([folder.root, folder.temporary]);
  const guest = { dialogs, downloads, permissions, position, traces, fronted, endedFor };
  return {
    sessionId: options.sessionId,
    mux,
    pid: chromium.pid,
    died,
    ended,
    downloadFolder: folder.downloads,
    allowsResizing,
    uploads: createUploads(folder.uploads, setup.user.uid),
    downloads: () => downloads.finished(),
    attach: (own) => behindDisguise(disguise, own, (listener) => attachGuest(mux, { ...guest, listener })),
    async confine(mayShow) {
      await confinement.set(mayShow);
      if (mayShow !== null) await leaveForbiddenPages(context, { mayShow, runStep: createStepRunner(pending) });
    },
    takeDownloads: (taker) => claimDownloads(downloads, taker, setup.log),
    screenshot: (task) => takeScreenshot(foreground, task),
    watch: (viewer) => view.watch(viewer),
    trafficBytes: () => (exit.isMetered ? gate.trafficBytes() - bytesBefore : 0),
    async tab(task) {
      const runStep = createStepRunner(pending, task);
      await runStep('Could not open a tab', () => foreground.page());
      return createPlaywrightTab({ ...around, runStep });
    },
    async endTask(isCancelled) {
      dialogs.answers.reset();
      if (!isCancelled && pending.size === 0) return;
      // When the browser has ended, its work has ended too, and an error is expected.
      const work = { mux, context, foreground, dialogs, pending };
      await cancelPageWork(work).catch((error: unknown) => void (life.isEnding() || rethrow(error)));
      // A dialog of this task may have opened while its work was cancelled.
      dialogs.answers.reset();
    },
    stop: () => life.stop(),
  };
}

/** Life of one browser. The browser may end by itself, by a resource limit, or on request. */
interface BrowserLife {
  readonly died: Promise<BrowserEnd>;
  readonly ended: Promise<BrowserEnd>;
  /** Returns whether the browser has ended or is being stopped. */
  isEnding(): boolean;
  /** Returns why the service ended the browser; null if the service did not end it, for example after a crash. */
  readonly endedFor: () => string | null;
  /** Stops the browser and waits until its profile is saved and its folder removed. */
  stop(): Promise<void>;
}

/**
 * Observes a browser until it ends, and then saves its profile and removes its resources. Kills the browser when it
 * exceeds a resource limit or closes its command pipe.
 */
function followLife(deps: TakeDeps & FreshChromium, downloads: DownloadWatch): BrowserLife {
  const { setup, folder, gate, chromium, mux, keeper } = deps;
  let [stopping, dead] = [false, false];
  // A Chromium whose command pipe is closed accepts no commands, so it is killed. The next connection can then start
  // another Chromium.
  void chromium.pipe.closed.then(() => !stopping && chromium.kill());
  const leave = setup.warden?.watch({
    pid: chromium.pid,
    folders: [folder.root, folder.temporary],
    end: (reason) => chromium.kill(reason),
  });
  void chromium.gone.then(() => (dead = true));
  const died = afterDeath({ chromium, downloads, isWanted: () => stopping });
  const ended = cleanUpAfter({ died, gate, folder, keeper, log: setup.log });
  if (leave !== undefined) void ended.then(leave);
  return {
    died,
    ended,
    isEnding: () => dead || stopping,
    endedFor: () => (stopping ? 'browser stopped' : chromium.killedFor()),
    async stop() {
      stopping = true;
      // A dead Chromium answers no command, and its clean-up has already begun.
      if (!dead) await keeper.beforeEnd(mux).then(() => closeChromium(chromium, mux));
      await ended;
    },
  };
}

function rethrow(error: unknown): never {
  throw error;
}

interface DeathDeps {
  readonly chromium: ChromiumProcess;
  readonly downloads: DownloadWatch;
  readonly isWanted: () => boolean;
}

async function afterDeath({ chromium, downloads, isWanted }: DeathDeps): Promise<BrowserEnd> {
  const detail = await chromium.gone;
  const expected = isWanted();
  // Completed downloads are passed on even when the browser has ended.
  await downloads.settled();
  return { expected, detail };
}

interface CleanUpDeps {
  readonly died: Promise<BrowserEnd>;
  readonly gate: EgressGate;
  readonly folder: BrowserFolder;
  readonly keeper: ProfileKeeper;
  readonly log: HostLog;
}

/** Waits for the end of the browser, saves its profile and removes its resources; logs what could not be removed. */
async function cleanUpAfter({ died, gate, folder, keeper, log }: CleanUpDeps): Promise<BrowserEnd> {
  const end = await died;
  await keeper.afterEnd();
  const left = await Promise.allSettled([gate.close(), removeBrowserFolder(folder)]);
  for (const result of left) {
    // The next start of the service removes what remains.
    if (result.status === 'rejected') log.warn({ err: result.reason }, 'a browser left something behind');
  }
  return end;
}

/**
 * Creates an empty set of uploads. Its files are stored in `folder`, and the operating system user `uid` can read them
 * (null: the service's user). A file appears under its name only when it is complete.
 */
export function createUploads(folder: string, uid: number | null): BrowserUploads {
  const mode = uid === null ? 0o600 : 0o644;
  const names = new Set<string>();
  return {
    findPath: (name) => (names.has(name) ? join(folder, name) : null),
    async put(name, bytes) {
      const temporary = join(folder, `.${randomUUID()}`);
      try {
        const handle = await open(temporary, 'wx', mode);
        await pipeline(bytes, handle.createWriteStream());
        // The umask of this process may have removed permissions.
        await chmod(temporary, mode);
        await rename(temporary, join(folder, name));
      } catch (error) {
        await rm(temporary, { force: true });
        // The folder and the file were removed with the browser.
        if (isMissing(error)) return;
        throw error;
      }
      names.add(name);
    },
  };
}
