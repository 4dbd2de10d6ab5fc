import type { BrowserContext } from 'playwright-core';
import { type EgressGate, type EgressOptions, openEgressGate } from './egress/egress-gate.ts';
import { type Exit, type ExitOptions, selectExit } from './egress/managed-proxy.ts';
import type { ChromiumBinary } from './launch/bundled-chromium.ts';
import type { LaunchOptions } from './host.ts';
import type { HostLog } from './host-log.ts';
import {
  type BrowserFolder,
  browserFolder,
  createBrowserFolder,
  removeBrowserFolder,
} from './launch/browser-folder.ts';
import { writeOwner } from './launch/folder-owner.ts';
import type { ChromiumAccount } from './launch/chromium-account.ts';
import { chromiumFlags } from './launch/chromium-flags.ts';
import type { Warden } from './isolation/warden.ts';
import { loadPlaywright } from './launch/load-playwright.ts';
import { writePreferences } from './launch/write-preferences.ts';
import { type ProcessMark, processMark } from './isolation/process-table.ts';
import { type ChromiumProcess, spawnChromium } from './launch/spawn-chromium.ts';
import { CdpMux } from './pipe/cdp-mux.ts';
import { type BrowserIdentity, identityAt } from './stealth/browser-identity.ts';
import { type Disguise, wearDisguise } from './stealth/wear-disguise.ts';
import { createPlaywrightTransport } from './pipe/playwright-transport.ts';
import { type ProfileKeeper, createProfileKeeper } from './profile/profile-keeper.ts';

/** Settings shared by all browsers of a host. */
export interface LocalBrowserSetup {
  readonly directory: string;
  readonly binary: ChromiumBinary;
  readonly user: ChromiumAccount;
  readonly sharedMemoryOnDisk: boolean;
  readonly egress: EgressOptions;
  /** Ends browsers that exceed resource limits; null without limits. */
  readonly warden: Warden | null;
  readonly exits: ExitOptions;
  readonly log: HostLog;
  /** Identity that pages see in place of that of an automated browser; null leaves the browser unmodified. */
  readonly identity: BrowserIdentity | null;
}

/**
 * Timeout of connecting to a started Chromium, which responds within 0.2 s on an idle machine and within seconds on a
 * loaded machine.
 */
const connectTimeoutMs = 30_000;

/** A started Chromium that no launch uses yet, with its folder and egress proxy. */
export interface FreshChromium {
  readonly folder: BrowserFolder;
  readonly gate: EgressGate;
  /** Network route of the browser. */
  readonly exit: Exit;
  readonly chromium: ChromiumProcess;
  readonly mux: CdpMux;
  /** Loads and saves the state of the profile; does nothing without a profile. */
  readonly keeper: ProfileKeeper;
  /**
   * Playwright's connection to the pages. Absent until `reachPages` has connected; always present in a warm browser.
   */
  readonly pages?: ReachedPages;
}

/**
 * Starts a Chromium and connects Playwright to its pages, for use by a later launch. Leaves no process or folder behind
 * when it rejects.
 */
export async function warmUpChromium(setup: LocalBrowserSetup, options: LaunchOptions): Promise<FreshChromium> {
  const fresh = await startChromium(setup, options);
  try {
    return { ...fresh, pages: await reachPages(setup, fresh) };
  } catch (error) {
    await abandonChromium(fresh);
    throw error;
  }
}

/** Ends a Chromium that no launch uses yet. Removes its egress proxy and folder. */
export async function abandonChromium({ chromium, gate, folder }: FreshChromium): Promise<void> {
  await end(chromium);
  await gate.close();
  await removeBrowserFolder(folder);
}

/** Starts a Chromium with its folder and egress proxy. Leaves no process or folder behind when it rejects. */
export async function startChromium(setup: LocalBrowserSetup, options: LaunchOptions): Promise<FreshChromium> {
  const exit = selectExit(setup.exits, options);
  const folder = browserFolder(setup.directory, options.sessionId);
  await createBrowserFolder(folder, setup.user.uid);
  const undo: (() => Promise<void>)[] = [() => removeBrowserFolder(folder)];
  const keeper = createProfileKeeper({ folder, uid: setup.user.uid, log: setup.log }, options.profile ?? null);
  try {
    await keeper.load();
    const gate = await openEgressGate({ ...setup.egress, owner: setup.user.uid, upstream: exit.upstream });
    undo.unshift(() => gate.close());
    const chromium = await start(setup, { folder, gate, options, exit });
    return { folder, gate, exit, chromium, mux: new CdpMux(chromium.pipe), keeper };
  } catch (error) {
    for (const step of undo) await step();
    throw error;
  }
}

interface StartDeps {
  readonly folder: BrowserFolder;
  readonly gate: EgressGate;
  readonly options: LaunchOptions;
  readonly exit: Exit;
}

async function start(
  setup: LocalBrowserSetup,
  { folder, gate, options, exit: { place } }: StartDeps,
): Promise<ChromiumProcess> {
  const { binary, user, sharedMemoryOnDisk } = setup;
  // Everything that Chromium's start depends on, in parallel.
  const [service] = await Promise.all([
    ownFolder(folder),
    writePreferences(folder, { uid: user.uid, showsPdf: options.showsPdf ?? true }),
  ]);
  const flags = chromiumFlags({
    profile: folder.profile,
    screen: options.screen,
    proxyPort: gate.port,
    sandbox: user.sandbox,
    sharedMemoryOnDisk,
    ignoreCertErrors: options.customProxy?.ignoreCertErrors ?? false,
    identity: identityAt(setup.identity, place?.language ?? null),
    place,
  });
  const chromium = await spawnChromium({ binary, folder, flags, uid: user.uid, place });
  if (service !== null) await writeOwner(folder.ownerFile, { service, browser: await processMark(chromium.pid) });
  return chromium;
}

/**
 * Writes the file that names this service as the owner of a browser folder. Returns the process mark of the service:
 * its process id and start time. Returns null and writes no file if the kernel provides no process mark.
 */
async function ownFolder({ ownerFile }: BrowserFolder): Promise<ProcessMark | null> {
  const service = await processMark(process.pid);
  if (service !== null) await writeOwner(ownerFile, { service, browser: null });
  return service;
}

/** Playwright's connection to the pages of a Chromium, and the identity that is applied to them. */
export interface ReachedPages {
  readonly context: BrowserContext;
  /** Browser identity that is applied to the pages; null when pages see the unmodified browser. */
  readonly disguise: Disguise | null;
}

/**
 * Connects Playwright to the pages of a Chromium and applies the browser identity. Rejects when the Chromium ends
 * before that.
 */
export async function reachPages(
  { identity: known, log }: LocalBrowserSetup,
  fresh: Omit<PlaywrightDeps, 'log'> & { readonly exit: Exit },
): Promise<ReachedPages> {
  const identity = identityAt(known, fresh.exit.place?.language ?? null);
  const reached = Promise.all([
    connectPlaywright({ ...fresh, log }),
    identity === null ? null : wearDisguise(fresh.mux, identity),
  ]);
  const [context, disguise] = await Promise.race([reached, fresh.chromium.gone.then(endedEarly)]);
  return { context, disguise };
}

/** Throws an error about a Chromium that ended during its start, so that the start does not wait for its timeouts. */
function endedEarly(detail: string): never {
  throw new Error(`${detail} It had just been started.`);
}

interface PlaywrightDeps {
  readonly mux: CdpMux;
  readonly chromium: ChromiumProcess;
  readonly folder: BrowserFolder;
  readonly log: HostLog;
}

/**
 * Connects Playwright to the browser's default context, as a DevTools client of its own. Rejects when this fails or
 * takes longer than 30 s.
 */
async function connectPlaywright({ mux, chromium, folder, log }: PlaywrightDeps): Promise<BrowserContext> {
  const failure = (error: unknown): Error =>
    new Error(`Chromium did not come up: ${String(error)} ${chromium.errorOutput()}`.trim(), { cause: error });
  try {
    const transport = await createPlaywrightTransport(mux, (error) =>
      log.warn({ err: error }, 'a client could not detach'),
    );
    const options = { artifactsDir: folder.downloads, timeout: connectTimeoutMs };
    const playwright = await loadPlaywright();
    const [context] = (await playwright.connectOverCDP(transport, options)).contexts();
    if (context === undefined) throw new Error('It has no default context.');
    return context;
  } catch (error) {
    throw failure(error);
  }
}

async function end(chromium: ChromiumProcess): Promise<void> {
  chromium.kill();
  await chromium.gone;
}
