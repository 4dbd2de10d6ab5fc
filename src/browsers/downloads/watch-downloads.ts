import { lstat, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { JsonObject } from '#lib/json.ts';
import type { CdpMessage } from '../pipe/cdp-client.ts';
import { openCommandChannel } from '../pipe/command-channel.ts';
import type { DownloadDeps, DownloadFollower, DownloadRules, FinishedDownload } from './downloads.ts';

/** Download tracking of one browser. */
export interface DownloadWatch {
  /** Adds a listener for later download events; the returned function removes it. */
  follow(follower: DownloadFollower): () => void;
  /**
   * Waits for the next download: `begun` resolves with the name of its file. After `stop`, `begun` may stay pending
   * forever.
   */
  next(): { readonly begun: Promise<string>; stop(): void };
  /** Cancels a download. Resolves when the browser has replied, even with an error; never rejects. */
  cancel(id: string): Promise<void>;
  /** Returns finished files that no receiver has taken and that `DownloadRules.keep` has not stored, oldest first. */
  finished(): readonly FinishedDownload[];
  /**
   * Enables downloads in a new browser context. The DevTools client that created this context may later change its
   * download settings.
   */
  adopt(contextId: string): void;
  /**
   * Restores the service's download settings in all browser contexts, after a client that had changed them has left.
   * Never rejects.
   */
  restore(): Promise<void>;
  /** Resolves when no completed download waits to be taken, stored or removed. */
  settled(): Promise<void>;
}

/**
 * Begins to track and limit the downloads of a browser; called before the browser loads a page. Rejects when the
 * browser refuses the download settings.
 */
export async function watchDownloads(deps: DownloadDeps): Promise<DownloadWatch> {
  const { mux, folder, rules } = deps;
  const ledger = createDownloadLedger(rules);
  const finished = new Set<FinishedDownload>();
  const taking = new Set<Promise<void>>();
  const followers = new Set<DownloadFollower>();
  const follow = (follower: DownloadFollower): (() => void) => {
    followers.add(follower);
    return () => void followers.delete(follower);
  };
  const failed = (id: string, reason: string): void => {
    for (const follower of followers) follower.failed(id, reason);
  };
  const take = (id: string, path: string): void => {
    const taken = takeOver({ ...deps, ledger, finished, followers }, id, path).finally(() => taking.delete(taken));
    taking.add(taken);
  };
  const channel = await openCommandChannel(mux, (event) => {
    const seen = readEvent(event);
    if (seen === null) return;
    if (seen.kind === 'completed') return take(seen.id, seen.path);
    if (seen.kind === 'canceled') {
      ledger.drop(seen.id);
      return failed(seen.id, 'it broke off');
    }
    if (seen.kind === 'begin') for (const follower of followers) follower.began(seen.id, seen.name);
    const mayGoOn =
      seen.kind === 'begin' ? ledger.begin(seen.id, seen.name) : ledger.progress(seen.id, seen.received, seen.expected);
    if (mayGoOn) return;
    void cancel(seen.id);
    failed(seen.id, tooMuch(rules));
  });
  // Files are named by download id, so that equal names do not collide.
  const behavior: JsonObject =
    rules.filesMax === 0
      ? { behavior: 'deny', eventsEnabled: true }
      : { behavior: 'allowAndName', downloadPath: folder.downloads, eventsEnabled: true };
  const ask = (method: string, params: JsonObject): Promise<CdpMessage> => channel.ask({ method, params });
  const inEveryContext = async (method: string, params: JsonObject): Promise<void> => {
    const { result } = await ask('Target.getBrowserContexts', {});
    const others = Array.isArray(result?.['browserContextIds']) ? result['browserContextIds'] : [];
    // An error means that the context, the download or the browser has gone.
    await Promise.all([ask(method, params), ...others.map((id) => ask(method, { ...params, browserContextId: id }))]);
  };
  const cancel = (id: string): Promise<void> => inEveryContext('Browser.cancelDownload', { guid: id });
  const { error } = await ask('Browser.setDownloadBehavior', behavior);
  if (error !== undefined) throw new Error(`Downloads cannot be watched: ${JSON.stringify(error)}`);
  return {
    follow,
    next: () => nextBegun(follow),
    cancel,
    finished: () => [...finished],
    adopt: (contextId) => void ask('Browser.setDownloadBehavior', { ...behavior, browserContextId: contextId }),
    restore: () => inEveryContext('Browser.setDownloadBehavior', behavior),
    async settled() {
      while (taking.size > 0) await Promise.all(taking);
    },
  };
}

function nextBegun(follow: DownloadWatch['follow']): ReturnType<DownloadWatch['next']> {
  const { promise: begun, resolve } = Promise.withResolvers<string>();
  const stop = follow({ began: (_id, name) => resolve(name), failed: () => undefined, take: async () => false });
  return { begun, stop };
}

function tooMuch({ fileBytesMax, bytesMax, filesMax }: DownloadRules): string {
  return `a browser downloads at most ${filesMax} files of ${fileBytesMax} bytes, ${bytesMax} bytes together`;
}

/** A download event of the browser; `id` is Chromium's id of the download. */
type Seen =
  | { readonly kind: 'begin'; readonly id: string; readonly name: string }
  | { readonly kind: 'progress'; readonly id: string; readonly received: number; readonly expected: number }
  | { readonly kind: 'completed'; readonly id: string; readonly path: string }
  | { readonly kind: 'canceled'; readonly id: string };

/** Returns the download event that a message contains; null for any other message. */
function readEvent({ method, params = {} }: CdpMessage): Seen | null {
  const { guid, suggestedFilename, state, receivedBytes, totalBytes, filePath } = params;
  if (typeof guid !== 'string') return null;
  if (method === 'Browser.downloadWillBegin')
    return { kind: 'begin', id: guid, name: typeof suggestedFilename === 'string' ? suggestedFilename : '' };
  if (method !== 'Browser.downloadProgress') return null;
  if (state === 'canceled') return { kind: 'canceled', id: guid };
  // Without a path the file is named by its id, as requested.
  if (state === 'completed')
    return { kind: 'completed', id: guid, path: typeof filePath === 'string' ? filePath : guid };
  return { kind: 'progress', id: guid, received: Number(receivedBytes), expected: Number(totalBytes) };
}

/** Dependencies of {@link takeOver}: folders, limits and state of one browser's downloads. */
export interface TakeDeps extends Omit<DownloadDeps, 'mux'> {
  readonly ledger: DownloadLedger;
  /** Finished files that no follower has taken and that `rules.keep` has not stored yet. */
  readonly finished: Set<FinishedDownload>;
  readonly followers: ReadonlySet<DownloadFollower>;
}

/**
 * Moves a completed file to a folder that the browser cannot access. Passes the file to the first follower that takes
 * it, otherwise to `rules.keep`. A file that exceeds a limit or cannot be stored is removed and reported as failed.
 * Never rejects.
 */
export async function takeOver(deps: TakeDeps, id: string, given: string): Promise<void> {
  const { folder, ledger, followers, log } = deps;
  // Only the base name counts: all downloads are directly in one folder.
  const [source, path] = [join(folder.downloads, basename(given)), join(folder.finished, basename(id))];
  let file: FinishedDownload | null = null;
  try {
    file = await moveAway(ledger, { id, source, path });
    if (file !== null) return await handOver(deps, id, file);
  } catch (error) {
    log.warn({ err: error }, 'a download could not be kept');
  }
  if (file === null) ledger.drop(id);
  else ledger.release(file.size);
  for (const follower of followers) follower.failed(id, 'it could not be kept');
  await rm(path, { force: true }).catch((left: unknown) => log.warn({ err: left }, 'a download was left behind'));
}

/**
 * Moves a completed file to the folder of finished files. Returns null when the file must not be kept: an unknown
 * download, an exceeded limit, or no regular file.
 */
async function moveAway(
  ledger: DownloadLedger,
  { id, source, path }: { id: string; source: string; path: string },
): Promise<FinishedDownload | null> {
  const name = ledger.findName(id);
  await rename(source, path);
  const size = await lstatFile(path);
  return ledger.finish(id, size ?? 0) && size !== null && name !== null ? { name, path, size } : null;
}

async function handOver(
  { ledger, finished, followers, rules }: TakeDeps,
  id: string,
  file: FinishedDownload,
): Promise<void> {
  for (const follower of followers) {
    if (!(await follower.take(id, file))) continue;
    await rm(file.path, { force: true });
    return ledger.release(file.size);
  }
  finished.add(file);
  if (rules.keep === undefined) return;
  await rules.keep(file).finally(() => finished.delete(file));
  await rm(file.path, { force: true });
}

/** Returns the size of a regular file in bytes; null for anything else, such as a link. */
async function lstatFile(path: string): Promise<number | null> {
  const found = await lstat(path);
  return found.isFile() ? found.size : null;
}

/** Observer of the DevTools messages of one client that change download settings or create browser contexts. */
interface GuestDownloads {
  /** Inspects a command of the client; returns whether the reply to this command must be parsed and inspected too. */
  sent(command: CdpMessage): boolean;
  /** Inspects a message before the client receives it. */
  received(message: CdpMessage): void;
  /** Called when the client is detached. Restores the service's download settings if the client has changed them. */
  left(): void;
}

/**
 * Creates an observer of the DevTools messages of one client. Enables downloads in the browser contexts that the client
 * creates. When the client leaves, restores the download settings that the client has changed.
 */
export function followGuest(downloads: Pick<DownloadWatch, 'adopt' | 'restore'>): GuestDownloads {
  const contextCommands = new Set<string>();
  const getKey = ({ id, sessionId = '' }: CdpMessage): string => `${id}@${sessionId}`;
  let hadWishes = false;
  return {
    sent(command) {
      if (command.method?.endsWith('.setDownloadBehavior') === true) hadWishes = true;
      const makesContext = command.method === 'Target.createBrowserContext';
      if (makesContext) contextCommands.add(getKey(command));
      return makesContext;
    },
    received(message) {
      if (message.id === undefined || !contextCommands.delete(getKey(message))) return;
      const contextId = message.result?.['browserContextId'];
      if (typeof contextId === 'string') downloads.adopt(contextId);
    },
    left() {
      if (hadWishes) void downloads.restore();
      hadWishes = false;
    },
  };
}

/** Record of the downloads of one browser, which compares them with the limits. It does not access the browser. */
interface DownloadLedger {
  /** Records the start of a download. Returns false when the download exceeds a limit and must be cancelled. */
  begin(id: string, name: string): boolean;
  /**
   * Records received and expected bytes (0 for an unknown size). Returns false when the download exceeds a limit and
   * must be cancelled; true for an unknown download.
   */
  progress(id: string, received: number, expected: number): boolean;
  /** Returns the file name of a download in progress; null for an unknown download, or when it has exceeded a limit. */
  findName(id: string): string | null;
  /**
   * Records the size of a completed download. Returns false when its file must not be kept: an unknown download or an
   * exceeded limit.
   */
  finish(id: string, size: number): boolean;
  /** Subtracts the size of a file that was removed from disk; the file still counts towards `filesMax`. */
  release(size: number): void;
  /** Removes a download that was cancelled or not kept. */
  drop(id: string): void;
}

interface UnderWay {
  readonly name: string;
  /**
   * Largest size received or announced so far, in bytes. A restarted transfer reports fewer bytes, but the bytes of the
   * interrupted transfer stay on disk.
   */
  bytes: number;
  refused: boolean;
}

/** Creates a record without downloads. */
export function createDownloadLedger(rules: Omit<DownloadRules, 'keep'>): DownloadLedger {
  const underWay = new Map<string, UnderWay>();
  let files = 0;
  let bytes = 0;
  // A rejected download is being cancelled and must not cause further rejections.
  const goingOn = (): UnderWay[] => [...underWay.values()].filter(({ refused }) => !refused);
  const fits = (entry: UnderWay): boolean => {
    const all = goingOn().reduce((sum, other) => sum + other.bytes, bytes);
    entry.refused ||= entry.bytes > rules.fileBytesMax || all > rules.bytesMax;
    return !entry.refused;
  };
  return {
    begin(id, name) {
      const entry = { name, bytes: 0, refused: files + goingOn().length >= rules.filesMax };
      underWay.set(id, entry);
      return fits(entry);
    },
    progress(id, received, expected) {
      const entry = underWay.get(id);
      if (entry === undefined) return true;
      entry.bytes = Math.max(entry.bytes, received, expected);
      return fits(entry);
    },
    findName(id) {
      const entry = underWay.get(id);
      return entry === undefined || entry.refused ? null : entry.name;
    },
    finish(id, size) {
      const entry = underWay.get(id);
      if (entry === undefined) return false;
      entry.bytes = size;
      const isKept = fits(entry);
      underWay.delete(id);
      if (isKept) [files, bytes] = [files + 1, bytes + size];
      return isKept;
    },
    release: (size) => void (bytes -= size),
    drop: (id) => void underWay.delete(id),
  };
}
