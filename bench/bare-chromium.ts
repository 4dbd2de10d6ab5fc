import { findChromium } from '#browsers/launch/find-chromium.ts';
import { browserFolder, createBrowserFolder, removeBrowserFolder } from '#browsers/launch/browser-folder.ts';
import type { ChromiumAccount } from '#browsers/launch/chromium-account.ts';
import { chromiumFlags } from '#browsers/launch/chromium-flags.ts';
import { spawnChromium } from '#browsers/launch/spawn-chromium.ts';
import { CdpMux } from '#browsers/pipe/cdp-mux.ts';

/** A Chromium without gateway or proxy. */
export interface BareChromium {
  /** Ends the Chromium and removes its folder. */
  end(): Promise<void>;
}

/** Options for starting Chromium without the service. */
export interface BareOptions {
  readonly directory: string;
  /** Name of the folder of this Chromium. */
  readonly name: string;
  /** User account and sandbox; the same as for browsers of the service, because a sandbox adds to the start time. */
  readonly account: ChromiumAccount;
  readonly more?: readonly string[];
}

/**
 * Starts Chromium with the flags of the service, and waits until Chromium answers a command. If Chromium does not
 * answer, ends it and rejects. No browser of the service can start in less time.
 */
export async function startBareChromium({ directory, name, account, more = [] }: BareOptions): Promise<BareChromium> {
  await using owned = new AsyncDisposableStack();
  const folder = browserFolder(directory, name);
  owned.defer(() => removeBrowserFolder(folder));
  await createBrowserFolder(folder, account.uid);
  const screen = { width: 1280, height: 800 };
  const { sandbox } = account;
  const flags = chromiumFlags({ profile: folder.profile, screen, proxyPort: 9, sandbox, sharedMemoryOnDisk: false });
  const chromium = await spawnChromium({
    binary: await findChromium(),
    folder,
    flags: [...flags, ...more],
    uid: account.uid,
  });
  owned.defer(async () => {
    chromium.kill();
    await chromium.gone;
  });
  await new CdpMux(chromium.pipe).command('Browser.getVersion');
  const resources = owned.move();
  return { end: () => resources.disposeAsync() };
}
