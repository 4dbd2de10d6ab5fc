import { createHash } from 'node:crypto';
import { chmod, chown, mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Paths of one browser. Everything that the browser writes is below `root` or in `temporary`. */
export interface BrowserFolder {
  readonly root: string;
  /** Chromium's user data. */
  readonly profile: string;
  readonly home: string;
  readonly temporary: string;
  readonly downloads: string;
  /** Completed downloads; inaccessible to the browser. */
  readonly finished: string;
  /** Folder of files that pages receive through file inputs: written by the service, readable by the browser. */
  readonly uploads: string;
  /** User data while they are being saved to a profile. Inaccessible to the browser; created when the saving begins. */
  readonly kept: string;
  /**
   * File that names the owner: the service process that created this folder, and the browser's process. Inaccessible to
   * the browser.
   */
  readonly ownerFile: string;
  /** File that names the profile to which the user data belong. Inaccessible to the browser. */
  readonly profileMark: string;
}

/** Valid session ids; they become folder names. */
const sessionIdPattern = /^[A-Za-z0-9_-]{1,80}$/;

/** Returns whether a name is a valid session id and thus the name of a browser folder. */
export function isSessionId(name: string): boolean {
  return sessionIdPattern.test(name);
}

/** Returns the paths of a browser below a host's folder; throws a RangeError for an invalid session id. */
export function browserFolder(directory: string, sessionId: string): BrowserFolder {
  if (!isSessionId(sessionId)) throw new RangeError(`The session id ${sessionId} is not 1-80 letters, digits, _ or -.`);
  const root = join(directory, sessionId);
  return {
    root,
    profile: join(root, 'profile'),
    home: join(root, 'home'),
    temporary: temporaryFolder(root),
    downloads: join(root, 'downloads'),
    finished: join(root, 'finished'),
    uploads: join(root, 'uploads'),
    kept: join(root, 'kept'),
    ownerFile: join(root, 'owner.json'),
    profileMark: join(root, 'profile.json'),
  };
}

/** Path below its temporary folder at which Chromium creates a socket. */
const socketPath = '/org.chromium.Chromium.XXXXXX/SingletonSocket';

const socketPathMax = 107;

/**
 * Returns the temporary folder of a browser, normally a folder below its root. If the path of Chromium's socket would
 * be too long there, returns a folder with a short name below the system's temporary folder. With too long a path,
 * Chrome (unlike its headless shell) ends at once. The name is derived from the root, so that the folder of an orphaned
 * browser can be found.
 */
function temporaryFolder(root: string): string {
  const inside = join(root, 'tmp');
  if (Buffer.byteLength(inside) + socketPath.length <= socketPathMax) return inside;
  return join(tmpdir(), `svc-${createHash('sha256').update(root).digest('hex').slice(0, 16)}`);
}

/**
 * Creates the folder of a browser with its subfolders. The user `uid` (null: the service's user) owns the subfolders
 * that the browser writes to. Rejects with EEXIST when one of the folders exists.
 */
export async function createBrowserFolder(folder: BrowserFolder, uid: number | null): Promise<void> {
  // Another user may enter the folder but neither list it nor read the owner file. The service's own user needs no such
  // access. The umask only removes bits from the mode of a new folder, so the mode is never too open.
  const passage = uid === null ? 0o700 : 0o711;
  await mkdir(folder.root, { mode: passage });
  // In parallel, because the start of the browser waits for it.
  await Promise.all([
    chmod(folder.root, passage),
    mkdir(folder.uploads, { mode: passage }).then(() => chmod(folder.uploads, passage)),
    ...[folder.profile, folder.home, folder.temporary, folder.downloads].map((path) => createFor(path, uid)),
    createFor(folder.finished, null),
  ]);
}

async function createFor(path: string, uid: number | null): Promise<void> {
  await mkdir(path, { mode: 0o700 });
  if (uid !== null) await chown(path, uid, uid);
}

/**
 * Removes the folder of a browser. Call it only after the end of all processes of the browser, which could write during
 * the removal.
 */
export async function removeBrowserFolder(folder: BrowserFolder): Promise<void> {
  // The root is removed last, because its owner file leads to the other parts.
  await rm(folder.temporary, { recursive: true, force: true });
  await rm(folder.root, { recursive: true, force: true });
}
