import { browserStatus } from '#generated/states.ts';
import type { RunningBrowsers, StandaloneDeps } from './deps.ts';
import type { Readable } from 'node:stream';
import type { BrowserBill } from '#contract/money.ts';
import type { HostedBrowser, LiveViewer } from '#browsers/host.ts';
import { type CustomProxy, HostBusy, type LiveView } from '#browsers/index.ts';
import {
  type BrowserPage,
  type BrowserRow,
  browserById,
  browserByToken,
  findBrowser,
  forgetBrowser,
  freeOwnedBrowsers,
  insertBrowser,
  listBrowsers,
  settleBrowsers,
  spentByBrowsers,
} from '#store/queries/browsers.ts';
import type { Answer } from '#cluster/owner-requests.ts';
import type { BrowserCommand } from '#cluster/worker-bus.ts';
import { type DownloadRow, type DownloadsWanted, downloadById, listDownloads } from '#store/queries/downloads.ts';
import { type StoredFile, findWorkspaceOwner } from '#store/queries/files.ts';
import { adoptBrowsers, bookAllTraffic, giveToWorker, handleCommand, takeBrowser } from './among-others.ts';
import { uploadWorkspace } from './browser-uploads.ts';
import { createRunningBrowsers } from './running-browsers.ts';
import { billMicros, browserRowBill } from '../project-spend.ts';
import { createSuspects } from '../recover.ts';
import { endBrowser, finishStops } from './stop-browser.ts';
import { liveStates } from '#contract/lifecycle.ts';
import type { Screen } from '#contract/screen.ts';
import { sealProxy } from '../run-settings.ts';
import type { BrowserInsert } from '#store/tables/browsers.ts';
import { flag } from '#store/tables/values.ts';

/** Bill of a browser, with the charged proxy traffic in bytes. */
interface MeteredBill extends BrowserBill {
  readonly proxyBytes: number;
}

/** Operations on standalone browsers, independent of API versions. */
export interface StandaloneBrowsers {
  /**
   * Inserts the row and starts the browser. Resolves with the reason if no browser was created. After a failed start
   * the row is ended and costs nothing; if the host is busy, the row is removed.
   */
  create(projectId: string, wanted: NewBrowser): Promise<CreatedBrowser>;
  /** Returns a browser; null for an unknown id or a browser of another project. */
  find(projectId: string, id: string): Promise<BrowserRow | null>;
  list(projectId: string, page: BrowserPage): Promise<{ rows: BrowserRow[]; total: number }>;
  /** Stops a browser permanently and waits for the end of its processes; does nothing for an ended browser. */
  stop(browser: BrowserRow): Promise<BrowserRow>;
  /** Returns the workspace for uploads of an active browser, creating it if needed; null for an ended browser. */
  ensureWorkspace(browser: BrowserRow): Promise<string | null>;
  /**
   * Copies an upload into the folder of its running browser, where DevTools clients can name the file. Does nothing for
   * files of other workspaces, and while the browser is not running.
   */
  placeUpload(file: StoredFile): Promise<void>;
  /**
   * Returns the browser of a DevTools token and starts it if it is not running. Null for an unknown token, an ended
   * browser, and a browser that another process runs. Rejects when the start fails.
   */
  open(cdpToken: string): Promise<HostedBrowser | null>;
  /** Returns the browser id of a DevTools token, also of an ended browser; empty for an unknown token. */
  findBrowserId(cdpToken: string): Promise<string>;
  /** Shows a browser to a viewer, after a pending start. Returns null when the browser does not run in this process. */
  watch(browserId: string, viewer: LiveViewer): Promise<LiveView | null>;
  /** Returns one page of the list of a browser's downloads. */
  downloads(browserId: string, wanted: DownloadsWanted): ReturnType<typeof listDownloads>;
  /** Returns a download with its bytes; null for an unknown id or removed bytes. */
  openDownload(id: string): Promise<{ readonly download: DownloadRow; readonly bytes: Readable } | null>;
  /** Returns the cost of a browser up to now. */
  bill(browser: BrowserRow): MeteredBill;
  /** Returns the cost of all browsers of a project up to now, in micro-dollars. */
  spentBy(projectId: string): Promise<number>;
  /**
   * Returns the cost without unused prepaid time: the amount if all browsers were stopped now. This amount never
   * decreases.
   */
  usedBy(projectId: string): Promise<number>;
  /** Performs a command of another process on a browser that this process owns. */
  handleCommand(command: BrowserCommand): Promise<Answer>;
  /**
   * Runs periodic maintenance: completes unfinished stops and, among several processes, adopts browsers and books their
   * traffic.
   */
  lookAfter(): Promise<void>;
  /** Clears the owner of all browsers of a worker that is dead or has left. */
  reclaim(owner: string): Promise<void>;
  /**
   * Ends all browser processes. Rows stay unchanged, so that the next start finds them. Only the row of a browser that
   * is being created is ended.
   */
  close(): Promise<void>;
}

/** Time after which the traffic of a stopped browser is certainly booked, in milliseconds. */
const settledAfterMs = 3_600_000;

/** Creates the standalone browsers of a host. No Chromium starts before a browser is created or opened. */
export function createStandaloneBrowsers(deps: StandaloneDeps): StandaloneBrowsers {
  const { db } = deps;
  const running = createRunningBrowsers(deps);
  const suspects = createSuspects();
  const creating = new Set<Promise<CreatedBrowser>>();
  const perform = async (command: BrowserCommand): Promise<void> => {
    await deps.owners.perform(command, () => handleCommand(deps, running, command));
  };
  deps.browserProfiles.onWanted((browserId) => perform({ op: 'yieldBrowser', browserId }));
  const bill = (browser: BrowserRow): MeteredBill => meteredBill(deps, running, browser);
  return {
    create(projectId, wanted) {
      const created = createBrowser({ ...deps, running }, projectId, wanted);
      creating.add(created);
      return created.finally(() => creating.delete(created));
    },
    find: (projectId, id) => findBrowser(db, projectId, id),
    list: (projectId, page) => listBrowsers(db, projectId, page),
    async stop({ id: browserId, projectId }) {
      await perform({ op: 'stopBrowser', browserId });
      const finishedBefore = deps.clock.now() - settledAfterMs;
      await settleBrowsers(db, { projectId, finishedBefore }, (row) => billMicros(bill(row)));
      return browserById(db, browserId);
    },
    ensureWorkspace: (browser) => uploadWorkspace(deps, browser),
    async placeUpload(file) {
      const owner = await findWorkspaceOwner(db, file.workspaceId);
      if (owner !== null) await perform({ op: 'placeUpload', browserId: owner, fileId: file.id });
    },
    async open(cdpToken) {
      const browser = await browserByToken(db, cdpToken);
      const ours = browser?.status === browserStatus.active ? await takeBrowser(deps, browser) : null;
      return ours === null ? null : running.open(ours);
    },
    findBrowserId: async (cdpToken) => (await browserByToken(db, cdpToken))?.id ?? '',
    async watch(browserId, viewer) {
      const browser = await running.started(browserId);
      return browser === null ? null : { seat: await browser.watch(viewer), ended: browser.ended };
    },
    downloads: (browserId, wanted) => listDownloads(db, browserId, wanted),
    openDownload: (id) => openDownload(deps, id),
    bill,
    spentBy: (projectId) => spentByBrowsers(db, projectId, (row) => billMicros(bill(row))),
    usedBy(projectId) {
      const now = deps.clock.now();
      return spentByBrowsers(db, projectId, (row) => billMicros(bill({ ...row, finishedAt: row.finishedAt ?? now })));
    },
    handleCommand: (command) => handleCommand(deps, running, command),
    async lookAfter() {
      await finishStops(deps, running, suspects.look());
      if (deps.owners.self === null) return;
      await adoptBrowsers(deps);
      await bookAllTraffic(deps, running);
    },
    reclaim: (owner) => freeOwnedBrowsers(db, owner),
    async close() {
      await running.close();
      // Pending creations record that their browsers did not start. Their callers receive the errors.
      await Promise.allSettled(creating);
    },
  };
}

async function openDownload({ db, blobs }: StandaloneDeps, id: string): ReturnType<StandaloneBrowsers['openDownload']> {
  const download = await downloadById(db, id);
  const bytes = download === null ? null : await blobs.read(download.blobKey);
  return download === null || bytes === null ? null : { download, bytes };
}

function meteredBill(
  { rules, clock, owners }: StandaloneDeps,
  running: RunningBrowsers,
  browser: BrowserRow,
): MeteredBill {
  // Among several processes only booked traffic counts, because every process knows it.
  const known = owners.self === null ? running.trafficBytes(browser.id) : 0;
  const proxyBytes = Math.max(browser.proxyBytes, known);
  return { ...browserRowBill(rules.pricing, { ...browser, proxyBytes }, clock.now()), proxyBytes };
}

/** Settings of a new browser; every value has been validated. */
export interface NewBrowser {
  readonly proxyCountryCode: string | null;
  /** Custom proxy that replaces the managed proxy; null for none. */
  readonly customProxy: CustomProxy | null;
  readonly profileId: string | null;
  /** Whether pages of the browser show PDF files, if the Chromium can show them. */
  readonly showsPdf: boolean;
  /** Whether clients of the browser may resize its window. */
  readonly allowsResizing: boolean;
  /** Length of one prepaid period in minutes, 1 to 240 included. */
  readonly timeoutMinutes: number;
  readonly screen: Screen | null;
  readonly enableRecording: boolean;
  /** Id of the API key or console login that creates the browser, for the monthly limit of a key. @defaultValue none */
  readonly keyId?: string;
  /** Labels of the caller, at most 10. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** Result of creating a browser: the running browser, or why it was not created. */
export type CreatedBrowser =
  | { readonly kind: 'started'; readonly browser: BrowserRow }
  | { readonly kind: 'tooMany'; readonly active: number; readonly limit: number }
  | { readonly kind: 'profileInUse'; readonly holder: string }
  | { readonly kind: 'busy'; readonly waiting: number; readonly retryAfterMs: number }
  | { readonly kind: 'notStarted' };

interface CreateDeps extends StandaloneDeps {
  readonly running: RunningBrowsers;
}

/**
 * Creates a browser. Inserts its row durably before the start, so that every running browser can be found and stopped.
 */
async function createBrowser(deps: CreateDeps, projectId: string, wanted: NewBrowser): Promise<CreatedBrowser> {
  const { db, rules, running, log, activeMax } = deps;
  const row = { ...browserRow(deps, projectId, wanted), ...(await deps.owners.next()) };
  const living = liveStates(rules.lifecycle);
  // This call lets an idle holder release the profile; the transaction below decides.
  await deps.browserProfiles.otherHolder(row.id, row.profileId);
  const inserted = await insertBrowser(db, { browser: row, living, activeMax: await activeMax.of(projectId) });
  if (!inserted.created)
    return 'profileHolder' in inserted
      ? { kind: 'profileInUse', holder: inserted.profileHolder }
      : { kind: 'tooMany', active: inserted.active, limit: inserted.limit };
  const notStarted = async (): Promise<CreatedBrowser> => {
    await endBrowser(deps, row.id, row.startedAt);
    await deps.browserProfiles.release(row.id);
    return { kind: 'notStarted' };
  };
  try {
    const begun = await beginBrowser(deps, running, await browserById(db, row.id));
    const browser = await browserById(db, row.id);
    // A browser that has not begun was stopped meanwhile, or the service is closing. Only a closing service leaves the
    // row active.
    return !begun && browser.status === browserStatus.active ? await notStarted() : { kind: 'started', browser };
  } catch (error) {
    if (error instanceof HostBusy) return notAdmitted(deps, row.id, error);
    log.error({ browser: row.id, err: error }, 'a standalone browser did not start');
    return notStarted();
  }
}

/**
 * Removes the row of a browser that was not admitted, so that the client may retry. Returns the kind `busy`, or the
 * browser if another client has stopped it meanwhile.
 */
async function notAdmitted({ db, browserProfiles }: CreateDeps, id: string, busy: HostBusy): Promise<CreatedBrowser> {
  await browserProfiles.release(id);
  if (await forgetBrowser(db, id)) return { kind: 'busy', waiting: busy.waiting, retryAfterMs: busy.retryAfterMs };
  // Another client has stopped the browser meanwhile, so its row remains.
  return { kind: 'started', browser: await browserById(db, id) };
}

function browserRow(
  { newId, tokens, clock, vault }: StandaloneDeps,
  projectId: string,
  wanted: NewBrowser,
): BrowserInsert {
  const id = newId();
  return {
    id,
    projectId,
    keyId: wanted.keyId ?? null,
    status: browserStatus.active,
    ...tokens.make(id, ['cdp', 'live', 'view']),
    proxyCountryCode: wanted.proxyCountryCode,
    customProxy: sealProxy(vault, id, wanted.customProxy),
    profileId: wanted.profileId?.toLowerCase() ?? null,
    showsPdf: flag(wanted.showsPdf),
    allowsResizing: flag(wanted.allowsResizing),
    timeoutMinutes: wanted.timeoutMinutes,
    screenWidth: wanted.screen?.width ?? null,
    screenHeight: wanted.screen?.height ?? null,
    metadata: JSON.stringify(wanted.metadata),
    enableRecording: flag(wanted.enableRecording),
    proxyBytes: 0,
    startedAt: clock.now(),
    finishedAt: null,
  };
}

/**
 * Asks the owner to start a browser. Resolves when the browser responds, with false when it was stopped meanwhile.
 * Rejects with HostBusy at the admission deadline, and with an Error when the start fails or no worker is available.
 * When the owner dies or releases the browser, another worker starts it.
 */
async function beginBrowser(
  deps: StandaloneDeps,
  running: RunningBrowsers,
  { id }: Pick<BrowserRow, 'id'>,
): Promise<boolean> {
  const command = { op: 'begin', browserId: id } as const;
  for (;;) {
    await giveToWorker(deps, await browserById(deps.db, id));
    const answer = await deps.owners.perform(command, () => handleCommand(deps, running, command));
    const { begun, isElsewhere, waiting, retryAfterMs } = answer;
    if (typeof waiting === 'number' && typeof retryAfterMs === 'number') throw new HostBusy(waiting, retryAfterMs);
    if (isElsewhere !== true) return begun === true;
  }
}
