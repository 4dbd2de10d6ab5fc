import { createHash } from 'node:crypto';
import { chmod, chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isJsonObject, type JsonValue } from '#lib/json.ts';
import { isMissing, type ProcessMark } from '../isolation/process-table.ts';

/** The paths of one browser; everything that it writes lies below `root` or in `temporary`. */
export interface BrowserFolder {
  readonly root: string;
  /** Chromium's user data. */
  readonly profile: string;
  readonly home: string;
  readonly temporary: string;
  readonly downloads: string;
  /** Ours and out of the browser's reach: downloads that are complete. */
  readonly finished: string;
  /** Files for file inputs: written by us, read by the browser. */
  readonly uploads: string;
  /** Ours and out of the browser's reach: user data on their way into a saved profile; made when it is needed. */
  readonly kept: string;
  /** Owner file, written by the service and inaccessible to the browser. */
  readonly ownerFile: string;
  /** The same: whose profile the user data are. */
  readonly profileMark: string;
}

/** Session ids name folders, so they must be plain names. */
const SESSION_ID = /^[A-Za-z0-9_-]{1,80}$/;

/** Whether a name can be a session id, and so the name of a browser folder. */
export function isSessionId(name: string): boolean {
  return SESSION_ID.test(name);
}

/** The paths of a browser below a host's folder; throws a RangeError when the session id is not a plain name. */
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

/** What Chromium appends to its temporary folder for a socket, and the longest path that a socket can have (unix(7)). */
const SOCKET_PATH = '/org.chromium.Chromium.XXXXXX/SingletonSocket';

const SOCKET_PATH_MAX = 107;

/**
 * The temporary folder below a browser's root, or else one with a short name: Chrome (not its headless shell) ends at
 * once when its socket's path is too long. The name follows from the root, so that an orphan's is found again.
 */
function temporaryFolder(root: string): string {
  const inside = join(root, 'tmp');
  if (Buffer.byteLength(inside) + SOCKET_PATH.length <= SOCKET_PATH_MAX) return inside;
  return join(tmpdir(), `svc-${createHash('sha256').update(root).digest('hex').slice(0, 16)}`);
}

/** Creates a browser's folder for the user it will run as; rejects with EEXIST when any part is there already. */
export async function createBrowserFolder(folder: BrowserFolder, uid: number | null): Promise<void> {
  await mkdir(folder.root);
  // Another user passes through, but neither lists the folder nor touches the owner file in it; our own needs nothing of the kind.
  const passage = uid === null ? 0o700 : 0o711;
  // All at once: a browser's start waits for them.
  await Promise.all([
    chmod(folder.root, passage),
    mkdir(folder.uploads).then(() => chmod(folder.uploads, passage)),
    ...[folder.profile, folder.home, folder.temporary, folder.downloads].map((path) => createFor(path, uid)),
    createFor(folder.finished, null),
  ]);
}

async function createFor(path: string, uid: number | null): Promise<void> {
  await mkdir(path, { mode: 0o700 });
  if (uid !== null) await chown(path, uid, uid);
}

/**
 * Removes a browser's folder. Call it once every process of the browser has ended, or they write while it is being
 * removed.
 */
export async function removeBrowserFolder(folder: BrowserFolder): Promise<void> {
  // The root goes last: as long as it is there, the owner file leads to the rest.
  await rm(folder.temporary, { recursive: true, force: true });
  await rm(folder.root, { recursive: true, force: true });
}

/** Owner of a browser folder. */
export interface FolderOwner {
  /** The service that created the folder. */
  readonly service: ProcessMark;
  /** The browser's main process, or null before it was started. */
  readonly browser: ProcessMark | null;
}

/** Records the owner; the file appears whole or not at all. */
export async function writeOwner(path: string, owner: FolderOwner): Promise<void> {
  await writeFile(`${path}.new`, JSON.stringify(owner), { mode: 0o600 });
  await rename(`${path}.new`, path);
}

/** Reads the owner; null when the folder has none or the file is not one of ours. */
export async function readOwner(path: string): Promise<FolderOwner | null> {
  let value: JsonValue;
  try {
    value = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    // A text that is no JSON was cut off by a power failure; it proves nothing, so it must not get anything killed.
    if (isMissing(error) || error instanceof SyntaxError) return null;
    throw error;
  }
  if (!isJsonObject(value)) return null;
  const service = markFrom(value['service']);
  return service === null ? null : { service, browser: markFrom(value['browser']) };
}

function markFrom(value: JsonValue | undefined): ProcessMark | null {
  if (!isJsonObject(value)) return null;
  const { pid, startTicks } = value;
  return typeof pid === 'number' && typeof startTicks === 'number' ? { pid, startTicks } : null;
}
