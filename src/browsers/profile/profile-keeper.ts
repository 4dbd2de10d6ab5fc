import { readFile, rename, writeFile } from 'node:fs/promises';
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts';
import type { HostLog } from '../host-log.ts';
import { type BrowserFolder, removeBrowserFolder } from '../launch/browser-folder.ts';
import { isMissing } from '../isolation/process-table.ts';
import type { CdpMux } from '../pipe/cdp-mux.ts';
import { within } from '../within.ts';
import { readArchive } from './archive.ts';
import type { BrowserProfile } from './browser-profile.ts';
import {
  carriedFrom,
  type CarriedState,
  cookieDomains,
  cookieParam,
  isSessionCookie,
  nothingCarried,
  type PermissionCommand,
} from './carried-state.ts';
import { createPermissionKeeper, type PermissionKeeper } from './permissions.ts';
import { keepUserData } from './user-data.ts';

/** Carries a profile through the life of one browser, in this order. */
export interface ProfileKeeper {
  /** Before the start: puts what was kept last into the browser's folder. Rejects when it cannot be read. */
  load(): Promise<void>;
  /** After the start: gives the browser what its user data do not hold. The desk is where clients get permissions that are kept. */
  restore(mux: CdpMux): Promise<PermissionKeeper | null>;
  /** Before a wanted end: asks the browser for what its user data will not hold; only the first call does. Never rejects. */
  beforeEnd(mux: CdpMux): Promise<void>;
  /** When every process has gone: keeps what is on the disk. Never rejects; what cannot be kept is logged, and what was kept before stays. */
  afterEnd(): Promise<void>;
}

/** What a keeper works with. */
export interface KeeperDeps {
  readonly folder: BrowserFolder;
  /** User and group of the browser, or null for our own. */
  readonly uid: number | null;
  readonly profile: BrowserProfile;
  readonly log: HostLog;
}

/** A browser that does not tell its cookies within this time hangs, and would not write them either. */
const askTimeoutMs = 5_000;

/** The keeper of a browser with a profile, or one that does nothing for a browser without. */
export function createProfileKeeper(deps: Omit<KeeperDeps, 'profile'>, profile: BrowserProfile | null): ProfileKeeper {
  return profile === null ? noKeeper : keeperOf({ ...deps, profile });
}

const nothing = async (): Promise<void> => undefined;
const noKeeper: ProfileKeeper = { load: nothing, restore: async () => null, beforeEnd: nothing, afterEnd: nothing };

function keeperOf({ folder, uid, profile, log }: KeeperDeps): ProfileKeeper {
  // After a crash what was carried here goes on: the disk holds no session cookies.
  let carried: CarriedState = nothingCarried;
  let domains: string[] | null = null;
  let asked: Promise<void> | undefined;
  let desk: PermissionKeeper | null = null;
  const ask = async (mux: CdpMux): Promise<void> => {
    try {
      const cookies = await within(askTimeoutMs, cookiesOf(mux), 'The browser did not tell its cookies.');
      carried = { ...carried, cookies: cookies.filter(isSessionCookie) };
      domains = cookieDomains(cookies);
    } catch (error) {
      log.warn({ err: error, profile: profile.id }, 'session cookies of a profile stay as they were');
    }
  };
  return {
    async load() {
      const archive = await profile.load();
      if (archive !== null) carried = await readArchive(archive, { folder: folder.profile, uid });
      await writeProfileMark(folder.profileMark, { profileId: profile.id, carried });
    },
    async restore(mux) {
      const permissions = await restoreCarried(mux, carried, log);
      return (desk = await createPermissionKeeper(mux, permissions));
    },
    // Once: a browser that is closing already may show no cookies any more.
    beforeEnd: (mux) => (asked ??= ask(mux)),
    async afterEnd() {
      try {
        const permissions = desk?.given() ?? carried.permissions;
        await keepUserData({ folder, profile, carried: { ...carried, permissions }, cookieDomains: domains });
      } catch (error) {
        log.warn({ err: error, profile: profile.id }, 'a profile stays as it was kept last');
      }
    },
  };
}

async function cookiesOf(mux: CdpMux): Promise<JsonObject[]> {
  const { cookies }: { cookies?: JsonValue } = await mux.command('Storage.getCookies');
  return Array.isArray(cookies) ? cookies.filter(isJsonObject) : [];
}

/**
 * Gives a browser what its user data do not hold. What this Chromium does not take, and an earlier one did, is left out and
 * logged: the rest of the profile is not lost for it. Answers the permissions that were taken. Rejects when the browser has gone.
 */
async function restoreCarried(
  mux: CdpMux,
  { cookies, permissions }: CarriedState,
  log: HostLog,
): Promise<PermissionCommand[]> {
  const params = cookies.map(cookieParam);
  if (params.length > 0 && !(await isTaken(mux, 'Storage.setCookies', { cookies: params })))
    for (const cookie of params) {
      // One that is not taken speaks against all of them in one command.
      const taken = await isTaken(mux, 'Storage.setCookies', { cookies: [cookie] });
      if (!taken) log.warn({ domain: cookie['domain'] }, 'a cookie of a profile was not taken');
    }
  const given: PermissionCommand[] = [];
  for (const permission of permissions) {
    if (await isTaken(mux, permission.method, permission.params)) given.push(permission);
    else log.warn({ method: permission.method }, 'a permission of a profile was not taken');
  }
  return given;
}

/** Whether a command succeeds; rejects when the browser has gone, and nothing can be said. */
async function isTaken(mux: CdpMux, method: string, params: JsonObject): Promise<boolean> {
  try {
    await mux.command(method, params);
    return true;
  } catch (error) {
    await mux.command('Browser.getVersion');
    if (!(error instanceof Error)) throw error;
    return false;
  }
}

/**
 * Saves the user data of a browser whose service was killed, and removes the folder. Call it after its processes have
 * been swept. Data that cannot be saved is logged and removed: later it could overwrite newer state.
 */
export async function rescueProfile(
  folder: BrowserFolder,
  profileOf: (profileId: string) => Promise<BrowserProfile | null>,
  log: HostLog,
): Promise<void> {
  const mark = await readProfileMark(folder.profileMark);
  const profile = mark === null ? null : await profileOf(mark.profileId);
  try {
    if (mark !== null && profile !== null)
      await keepUserData({ folder, profile, carried: mark.carried, cookieDomains: null });
  } catch (error) {
    log.warn({ err: error, folder: folder.root }, 'a profile stays as it was kept last');
  }
  await removeBrowserFolder(folder);
  log.warn({ folder: folder.root }, 'removed a browser with a profile that an earlier service left behind');
}

/** Whose user data lie in a browser's folder. */
export interface ProfileMark {
  readonly profileId: string;
  /** What the browser was given beside them: its disk does not hold it. */
  readonly carried: CarriedState;
}

/** Writes the mark when the user data are complete and before the browser is started; it appears whole or not at all. */
export async function writeProfileMark(file: string, mark: ProfileMark): Promise<void> {
  await writeFile(`${file}.new`, JSON.stringify(mark), { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** The mark of a browser's folder; null for a browser without a profile, and where the mark is not one of ours. */
export async function readProfileMark(file: string): Promise<ProfileMark | null> {
  let value: JsonValue;
  try {
    value = JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    // A power failure can truncate the file; its profile is then unknown.
    if (isMissing(error) || error instanceof SyntaxError) return null;
    throw error;
  }
  const profileId = isJsonObject(value) ? value['profileId'] : undefined;
  const carried = isJsonObject(value) ? carriedFrom(value['carried']) : null;
  return typeof profileId === 'string' && carried !== null ? { profileId, carried } : null;
}
