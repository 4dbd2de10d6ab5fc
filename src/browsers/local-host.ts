import { existsSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { parseAllowList } from './egress/resolve-target.ts';
import type { EgressOptions } from './egress/egress-gate.ts';
import { defaultRules } from '#contract/rule-book.ts';
import type { ExitOptions } from './egress/managed-proxy.ts';
import { findChromium } from './launch/find-chromium.ts';
import type { ChromiumBinary } from './launch/bundled-chromium.ts';
import type { BrowserHost, HostFigures, LaunchOptions } from './host.ts';
import type { HostLog } from './host-log.ts';
import type { ChooseOptions, ChosenAccount, ProbedChromium } from './launch/chromium-account.ts';
import { type BrowserBounds, createWarden } from './isolation/warden.ts';
import { type BrowserFolder, browserFolder } from './launch/browser-folder.ts';
import { sweepOrphans } from './sweep-orphans.ts';
import { createAdmission, isCpuPressed } from './admission.ts';
import { createEncoderPool } from './encoder/encoder-pool.ts';
import type { LocalBrowserSetup } from './fresh-chromium.ts';
import type { LocalBrowser } from './local-browser.ts';
import { createWarmLaunches, type WarmOptions } from './launch/warm-launches.ts';

/** Options of a host that starts browsers on this machine. */
export interface LocalHostOptions {
  /** Folder of this host only; created when missing. Every browser has a folder in it. */
  readonly directory: string;
  /**
   * Folder that earlier releases used in place of `directory`; browsers left in it are ended too. @defaultValue none
   */
  readonly formerDirectory?: string;
  readonly log: HostLog;
  /** Non-public addresses that pages may reach; see `parseAllowList`. @defaultValue none */
  readonly allow?: readonly string[];
  /** Resolves host names for the egress proxy. @defaultValue the system's resolver */
  readonly resolve?: EgressOptions['resolve'];
  /** Managed proxies and locations by country. @defaultValue the machine's own network for every country */
  readonly exits?: ExitOptions;
  /** Finds the Chromium to start. @defaultValue `findChromium` */
  readonly find?: () => Promise<ChromiumBinary>;
  /** Probes account, sandbox and version of the Chromium. @defaultValue `probeChromium`, which starts Chromium */
  readonly probe?: (options: ChooseOptions) => Promise<ProbedChromium>;
  /** Resource limits of one browser. @defaultValue no limits */
  readonly bounds?: BrowserBounds;
  /** Options of the pool of browsers that are started in advance. @defaultValue no pool */
  readonly warm?: WarmOptions;
  /**
   * Maximum CPU pressure: the percentage of time in which a process waits for a processor. Above it, browsers start one
   * at a time and no browser is started in advance. 100 disables the check.
   * @defaultValue 80
   */
  readonly pressureMax?: number;
  /** False leaves the signs of an automated browser visible to pages, for comparison. @defaultValue true */
  readonly stealth?: boolean;
}

/**
 * Maximum number of concurrent browser starts per processor, and of waiting starts per concurrent start. With a full
 * queue, a start takes about 20 seconds.
 */
const [startsPerCpu, waitingPerStart] = [2, 10];

/** A host whose browsers external DevTools clients can join. */
export interface LocalHost extends BrowserHost {
  launch(options: LaunchOptions): Promise<LocalBrowser>;
}

/**
 * Creates a host that starts one Chromium process per browser. Before the promise resolves, ends browsers that an
 * earlier service left in the host's folders. The first launch, inspection or start for the pool finds Chromium, probes
 * its sandbox and loads the modules for browsers. Rejects when the folder is not usable or `allow` is malformed.
 */
export async function createLocalHost(options: LocalHostOptions): Promise<LocalHost> {
  const egress = { allowed: parseAllowList(options.allow ?? []), log: options.log, ...getResolver(options) };
  await mkdir(options.directory, { recursive: true });
  // When browsers run as another user, that user may pass through this folder but not list its entries.
  await chmod(options.directory, process.getuid?.() === 0 ? 0o711 : 0o700);
  const left = await sweepAll(options);

  const browsers = new Map<string, Promise<LocalBrowser>>();
  const places = startsPerCpu * availableParallelism();
  const isPressed = (): Promise<boolean> => isCpuPressed(options.pressureMax);
  const admission = createAdmission({ places, waitingMax: waitingPerStart * places, isPressed });
  const warden = options.bounds === undefined ? null : createWarden(options.bounds, options.log);
  let closed = false;

  const prepared = rememberSuccess(() => prepare(options, { egress, warden }));
  const encoders = createEncoderPool(async () => {
    const { launchEncoderBrowser } = await import('./encoder/launch-encoder-browser.ts');
    return launchEncoderBrowser(await prepared());
  });
  const warm = createWarmLaunches({ wanted: options.warm ?? null, prepared, admission, log: options.log });
  const launch = async (wanted: LaunchOptions): Promise<LocalBrowser> => {
    const ready = await prepared();
    const start = async (): Promise<LocalBrowser> => {
      const { launchLocalBrowser } = await import('./local-browser.ts');
      wanted.signal?.throwIfAborted();
      if (closed) throw new Error(closedReason);
      return launchLocalBrowser(ready, wanted);
    };
    return (await warm.take(ready, wanted)) ?? admission.run(start, wanted);
  };
  const figures = (): HostFigures => {
    const { waiting } = admission;
    return { running: browsers.size - waiting, waiting, ready: warm.ready };
  };
  if (options.warm?.from === undefined) warm.refill();
  else void options.warm.from.then(() => warm.refill());
  return {
    kind: 'local',
    figures,
    async launch(wanted) {
      if (closed) throw new Error(closedReason);
      if (browsers.has(wanted.sessionId)) throw new Error(`A browser named ${wanted.sessionId} is running already.`);
      const launching = launch(wanted);
      browsers.set(wanted.sessionId, launching);
      void forgetAtEnd(launching, () => browsers.delete(wanted.sessionId));
      void Promise.allSettled([launching]).then(() => warm.refill());
      return launching;
    },
    async inspect() {
      const { held } = await prepared();
      const bounds = options.bounds === undefined ? null : { ...options.bounds, by: 'polling' as const };
      return { ...figures(), isolation: { ...held, bounds } };
    },
    async rescue(readProfile) {
      if (left.length === 0) return;
      const { rescueProfile } = await import('./profile/profile-keeper.ts');
      for (const folder of left) await rescueProfile(folder, readProfile, options.log);
    },
    openEncoder: (size) => encoders.open(size),
    async close() {
      closed = true;
      warden?.close();
      await warm.close();
      const started = await Promise.allSettled(browsers.values());
      await Promise.all(started.flatMap((result) => (result.status === 'fulfilled' ? [result.value.stop()] : [])));
      await encoders.close();
    },
  };
}

/** Ends browsers that an earlier service left running. Returns folders with an unsaved profile. */
async function sweepAll({ directory, formerDirectory, log }: LocalHostOptions): Promise<readonly BrowserFolder[]> {
  const places =
    formerDirectory !== undefined && existsSync(formerDirectory) ? [directory, formerDirectory] : [directory];
  const left: BrowserFolder[] = [];
  for (const place of places)
    for (const sessionId of (await sweepOrphans(place, log)).withProfile) left.push(browserFolder(place, sessionId));
  return left;
}

const closedReason = 'This browser host is closed.';
const ownNetwork: ExitOptions = { countries: defaultRules.countries, proxies: new Map(), required: false };

async function forgetAtEnd(launching: Promise<LocalBrowser>, forget: () => void): Promise<void> {
  const [result] = await Promise.allSettled([launching]);
  // The failure was reported to the caller of the launch.
  if (result.status === 'fulfilled') await result.value.ended;
  forget();
}

function getResolver({ resolve }: LocalHostOptions): Pick<EgressOptions, 'resolve'> {
  return resolve === undefined ? {} : { resolve };
}

/**
 * Finds Chromium, probes it, and returns the settings that all launches of a host share. Called at the first use of the
 * host; if it has rejected, called again at the next use.
 */
async function prepare(
  options: LocalHostOptions,
  shared: Pick<LocalBrowserSetup, 'egress' | 'warden'>,
): Promise<LocalBrowserSetup & Pick<ChosenAccount, 'held'>> {
  const { directory, log, exits = ownNetwork } = options;
  const [{ probeChromium }, { needsSharedMemoryOnDisk }, { parseIdentity }] = await Promise.all([
    import('./launch/chromium-account.ts'),
    import('./launch/chromium-flags.ts'),
    import('./stealth/browser-identity.ts'),
  ]);
  const binary = await (options.find ?? findChromium)();
  const sharedMemoryOnDisk = await needsSharedMemoryOnDisk();
  const probed = { binary, directory, sharedMemoryOnDisk, log };
  const { user, held, version } = await (options.probe ?? probeChromium)(probed);
  const identity = options.stealth === false ? null : parseIdentity(version, process);
  log.info(
    { path: binary.path, source: binary.source, user, held, sharedMemoryOnDisk },
    'browsers will be started like this',
  );
  return { directory, binary, user, held, sharedMemoryOnDisk, ...shared, exits, log, identity };
}

/**
 * Returns a function that calls `make` once and gives all callers the same result. A failure is not cached, because its
 * cause may have passed by the next call.
 */
function rememberSuccess<Result>(make: () => Promise<Result>): () => Promise<Result> {
  let made: Promise<Result> | null = null;
  return async () => {
    made ??= make();
    try {
      return await made;
    } catch (error) {
      made = null;
      throw error;
    }
  };
}
