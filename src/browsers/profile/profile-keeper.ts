import { readFile, rename, writeFile } from 'node:fs/promises';
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts';
import type { HostLog } from '../host-log.ts';
import { type BrowserFolder, removeBrowserFolder } from '../launch/browser-folder.ts';
import { isMissing } from '#lib/system-errors.ts';
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

/** Loads and saves the profile of one browser. The browser's owner calls the methods once each, in this order. */
export interface ProfileKeeper {
  /**
   * Call it before the browser starts. Unpacks the last saved state into the browser's folder. Rejects when this state
   * cannot be read.
   */
  load(): Promise<void>;
  /**
   * Call it after the browser has started. Sets the cookies and permissions that Chromium does not store. Resolves to
   * the keeper of permissions, or null without a profile.
   */
  restore(mux: CdpMux): Promise<PermissionKeeper | null>;
  /**
   * Call it before a requested end of the browser. Reads the cookies that Chromium does not store. Later calls do
   * nothing. Never rejects.
   */
  beforeEnd(mux: CdpMux): Promise<void>;
  /**
   * Call it after the end of all processes of the browser. Saves the user data. Never rejects: a failure is logged, and
   * the previously saved state stays valid.
   */
  afterEnd(): Promise<void>;
}

/** Dependencies of a profile keeper. */
export interface KeeperDeps {
  readonly folder: BrowserFolder;
  /** User and group id of the browser, or null for the service's own. */
  readonly uid: number | null;
  readonly profile: BrowserProfile;
  readonly log: HostLog;
}

/**
 * Timeout for reading cookies before the end of the browser, in milliseconds. After this time, the session cookies
 * that the profile was loaded with are saved again.
 */
const askTimeoutMs = 5_000;

/** Creates the keeper of a browser's profile. With a null `profile`, its methods do nothing. */
export function createProfileKeeper(deps: Omit<KeeperDeps, 'profile'>, profile: BrowserProfile | null): ProfileKeeper {
  return profile === null ? noKeeper : getKeeper({ ...deps, profile });
}

const nothing = async (): Promise<void> => undefined;
const noKeeper: ProfileKeeper = { load: nothing, restore: async () => null, beforeEnd: nothing, afterEnd: nothing };

function getKeeper({ folder, uid, profile, log }: KeeperDeps): ProfileKeeper {
  // After a crash the loaded values stay, because the disk has no session cookies.
  let carried: CarriedState = nothingCarried;
  let domains: string[] | null = null;
  let asked: Promise<void> | undefined;
  let desk: PermissionKeeper | null = null;
  const ask = async (mux: CdpMux): Promise<void> => {
    try {
      const cookies = await within(askTimeoutMs, readCookies(mux), 'The browser did not tell its cookies.');
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
    // Only once: a closing browser may return no cookies.
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

async function readCookies(mux: CdpMux): Promise<JsonObject[]> {
  const { cookies }: { cookies?: JsonValue } = await mux.command('Storage.getCookies');
  return Array.isArray(cookies) ? cookies.filter(isJsonObject) : [];
}

/**
 * Sets the cookies and permissions of a carried state in a started browser. Skips and logs values that this Chromium
 * rejects, so that the rest of the profile is not lost. Returns the permissions that were set. Rejects when the browser
 * has ended.
 */
async function restoreCarried(
  mux: CdpMux,
  { cookies, permissions }: CarriedState,
  log: HostLog,
): Promise<PermissionCommand[]> {
  const params = cookies.map(cookieParam);
  if (params.length > 0 && !(await isTaken(mux, 'Storage.setCookies', { cookies: params })))
    for (const cookie of params) {
      // An invalid cookie makes the whole command fail, so the cookies are set one by one.
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

/** Sends a DevTools command and returns whether it succeeds. Rejects when the browser has ended. */
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
 * Saves the user data of a browser whose service was killed, and removes its folder. Call it after `sweepOrphans` has
 * killed the browser. When the user data cannot be saved, logs the failure and removes them, because they could
 * overwrite a newer state later. Rejects when the profile cannot be read, and keeps the folder for the next start. Also
 * rejects when the folder cannot be removed.
 */
export async function rescueProfile(
  folder: BrowserFolder,
  readProfile: (profileId: string) => Promise<BrowserProfile | null>,
  log: HostLog,
): Promise<void> {
  const mark = await readProfileMark(folder.profileMark);
  const profile = mark === null ? null : await readProfile(mark.profileId);
  try {
    if (mark !== null && profile !== null)
      await keepUserData({ folder, profile, carried: mark.carried, cookieDomains: null });
  } catch (error) {
    log.warn({ err: error, folder: folder.root }, 'a profile stays as it was kept last');
  }
  await removeBrowserFolder(folder);
  log.warn({ folder: folder.root }, 'removed a browser with a profile that an earlier service left behind');
}

/** Content of the file `profile.json` in a browser's folder. It names the profile to which the user data belong. */
export interface ProfileMark {
  readonly profileId: string;
  /** Cookies and permissions that the browser received at its start in addition to its user data. */
  readonly carried: CarriedState;
}

/** Writes the mark atomically. Call it when the user data are complete, before the browser starts. */
export async function writeProfileMark(file: string, mark: ProfileMark): Promise<void> {
  await writeFile(`${file}.new`, JSON.stringify(mark), { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** Reads the mark of a browser's folder; returns null for a missing or invalid mark. */
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
