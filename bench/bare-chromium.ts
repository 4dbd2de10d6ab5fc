import { findChromium } from '../src/browsers/launch/find-chromium.ts';
import { browserFolder, createBrowserFolder, removeBrowserFolder } from '../src/browsers/launch/browser-folder.ts';
import type { ChromiumAccount } from '../src/browsers/launch/chromium-account.ts';
import { chromiumFlags } from '../src/browsers/launch/chromium-flags.ts';
import { spawnChromium } from '../src/browsers/launch/spawn-chromium.ts';
import { CdpMux } from '../src/browsers/pipe/cdp-mux.ts';

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
 * Starts Chromium with the flags of the service, and waits until Chromium answers a command. No browser of the service
 * can start in less time.
 */
export async function startBare({ directory, name, account, more = [] }: BareOptions): Promise<BareChromium> {
  const folder = browserFolder(directory, name);
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
  await new CdpMux(chromium.pipe).command('Browser.getVersion');
  return {
    async end() {
      chromium.kill();
      await chromium.gone;
      await removeBrowserFolder(folder);
    },
  };
}
