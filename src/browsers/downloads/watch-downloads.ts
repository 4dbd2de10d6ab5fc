import type { DownloadParts, DownloadFollower } from './download-parts.ts';
import type { JsonObject } from '#lib/json.ts';
import type { CdpMessage } from '../pipe/cdp-message.ts';
import { openCommandChannel } from '../pipe/command-channel.ts';
import { createDownloadLedger } from './download-ledger.ts';
import type { DownloadRules, FinishedDownload } from './download-rules.ts';
import { takeOver } from './take-over.ts';

/** The downloads of one browser. */
export interface DownloadWatch {
  /** Tells a follower of what happens from now on, until the returned function is called. */
  follow(follower: DownloadFollower): () => void;
  /** The name of the next download that begins, until `stop` is called. */
  next(): { readonly begun: Promise<string>; stop(): void };
  /** Breaks a download off; settles when the browser has done so, and never rejects. */
  cancel(id: string): Promise<void>;
  /** Finished files that nobody has taken, oldest first. */
  finished(): readonly FinishedDownload[];
  /** Makes downloads work in a browser context that was just made; a client that knows it only afterwards may change that. */
  adopt(contextId: string): void;
  /** Makes them work again everywhere after a client that had its own wishes has left; never rejects. */
  restore(): Promise<void>;
  /** Settles when every finished file has been taken by whoever keeps it. */
  settled(): Promise<void>;
}

/** Watches and bounds the downloads of a browser from its first page on. */
export async function watchDownloads(parts: DownloadParts): Promise<DownloadWatch> {
  const { mux, folder, rules } = parts;
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
    const taken = takeOver({ ...parts, ledger, finished, followers }, id, path).finally(() => taking.delete(taken));
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
  // Named by their ids: what one page downloads must not take the place of another file of the same name.
  const behavior: JsonObject =
    rules.filesMax === 0
      ? { behavior: 'deny', eventsEnabled: true }
      : { behavior: 'allowAndName', downloadPath: folder.downloads, eventsEnabled: true };
  const ask = (method: string, params: JsonObject): Promise<CdpMessage> => channel.ask({ method, params });
  const inEveryContext = async (method: string, params: JsonObject): Promise<void> => {
    const { result } = await ask('Target.getBrowserContexts', {});
    const others = Array.isArray(result?.['browserContextIds']) ? result['browserContextIds'] : [];
    // An error says that the context, the download or the browser has gone: then there is nothing to do for it.
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

/** What the browser tells of one download; `id` is Chromium's own name for it. */
type Seen =
  | { readonly kind: 'begin'; readonly id: string; readonly name: string }
  | { readonly kind: 'progress'; readonly id: string; readonly received: number; readonly expected: number }
  | { readonly kind: 'completed'; readonly id: string; readonly path: string }
  | { readonly kind: 'canceled'; readonly id: string };

/** What an event tells of a download, or null for any other event. */
function readEvent({ method, params = {} }: CdpMessage): Seen | null {
  const { guid, suggestedFilename, state, receivedBytes, totalBytes, filePath } = params;
  if (typeof guid !== 'string') return null;
  if (method === 'Browser.downloadWillBegin')
    return { kind: 'begin', id: guid, name: typeof suggestedFilename === 'string' ? suggestedFilename : '' };
  if (method !== 'Browser.downloadProgress') return null;
  if (state === 'canceled') return { kind: 'canceled', id: guid };
  // Without a path the file has the name that was asked for, its id.
  if (state === 'completed')
    return { kind: 'completed', id: guid, path: typeof filePath === 'string' ? filePath : guid };
  return { kind: 'progress', id: guid, received: Number(receivedBytes), expected: Number(totalBytes) };
}
