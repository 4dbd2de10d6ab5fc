import { findChromium } from '../src/browsers/launch/find-chromium.ts';
import { browserFolder, createBrowserFolder, removeBrowserFolder } from '../src/browsers/launch/browser-folder.ts';
import type { ChromiumAccount } from '../src/browsers/launch/chromium-account.ts';
import { chromiumFlags } from '../src/browsers/launch/chromium-flags.ts';
import { spawnChromium } from '../src/browsers/launch/spawn-chromium.ts';
import { CdpMux } from '../src/browsers/pipe/cdp-mux.ts';

/** A Chromium with nothing around it. */
export interface BareChromium {
  /** Ends it and removes its folder. */
  end(): Promise<void>;
}

/** What a bare start is made of. */
export interface BareOptions {
  readonly directory: string;
  /** Names its folder. */
  readonly name: string;
  /** The same as the service's: a sandbox takes its time, too. */
  readonly account: ChromiumAccount;
  readonly more?: readonly string[];
}

/** The barest start there is: the same binary with the same flags, until it answers. */
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
