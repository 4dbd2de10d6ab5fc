import { rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { JsonObject } from '#domain/json.ts';
import type { HostLog } from '../host-log.ts';
import type { CdpMessage } from '../pipe/cdp-message.ts';
import type { CdpMux } from '../pipe/cdp-mux.ts';
import { openCommandChannel } from '../pipe/command-channel.ts';
import { createDownloadLedger } from './download-ledger.ts';
import type { DownloadRules, FinishedDownload } from './download-rules.ts';
import { lstatFile } from './lstat-file.ts';

/** The downloads of one browser. */
export interface DownloadWatch {
  /** Finished files that nobody has taken, oldest first. */
  finished(): readonly FinishedDownload[];
  /** Makes downloads work in a browser context that was just made; a client that knows it only afterwards may change that. */
  adopt(contextId: string): void;
  /** Makes them work again everywhere after a client that had its own wishes has left; never rejects. */
  restore(): Promise<void>;
  /** Settles when every finished file has been taken by whoever keeps it. */
  settled(): Promise<void>;
}

/** Where the files of one browser are, and what it may download. */
export interface DownloadParts {
  readonly mux: CdpMux;
  readonly folder: {
    /** Chromium writes here. */
    readonly downloads: string;
    /** Finished files are moved here, out of Chromium's reach. */
    readonly finished: string;
  };
  readonly rules: DownloadRules;
  readonly log: HostLog;
}

/** Watches and bounds the downloads of a browser from its first page on. */
export async function watchDownloads(parts: DownloadParts): Promise<DownloadWatch> {
  const { mux, folder, rules } = parts;
  const ledger = createDownloadLedger(rules);
  const finished = new Set<FinishedDownload>();
  const taking = new Set<Promise<void>>();
  const take = (id: string, path: string): void => {
    const taken = takeOver({ ...parts, ledger, finished }, id, path).finally(() => taking.delete(taken));
    taking.add(taken);
  };
  const channel = await openCommandChannel(mux, (event) => {
    const seen = readEvent(event);
    if (seen === null) return;
    if (seen.kind === 'completed') return take(seen.id, seen.path);
    if (seen.kind === 'canceled') return ledger.drop(seen.id);
    const mayGoOn =
      seen.kind === 'begin' ? ledger.begin(seen.id, seen.name) : ledger.progress(seen.id, seen.received, seen.expected);
    if (!mayGoOn) void inEveryContext('Browser.cancelDownload', { guid: seen.id });
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
  const { error } = await ask('Browser.setDownloadBehavior', behavior);
  if (error !== undefined) throw new Error(`Downloads cannot be watched: ${JSON.stringify(error)}`);
  return {
    finished: () => [...finished],
    adopt: (contextId) => void ask('Browser.setDownloadBehavior', { ...behavior, browserContextId: contextId }),
    restore: () => inEveryContext('Browser.setDownloadBehavior', behavior),
    async settled() {
      while (taking.size > 0) await Promise.all(taking);
    },
  };
}

type Seen =
  | { readonly kind: 'begin'; readonly id: string; readonly name: string }
  | { readonly kind: 'progress'; readonly id: string; readonly received: number; readonly expected: number }
  | { readonly kind: 'completed'; readonly id: string; readonly path: string }
  | { readonly kind: 'canceled'; readonly id: string };

/** What an event tells of a download, or null for any other event. */
function readEvent({ method, params = {} }: CdpMessage): Seen | null {
  const { guid, suggestedFilename, state, receivedBytes, totalBytes, filePath } = params;
  if (typeof guid !== 'string') return null;
  if (method === 'Browser.downloadWillBegin') return { kind: 'begin', id: guid, name: String(suggestedFilename) };
  if (method !== 'Browser.downloadProgress') return null;
  if (state === 'canceled') return { kind: 'canceled', id: guid };
  // Without a path the file has the name that was asked for, its id.
  if (state === 'completed')
    return { kind: 'completed', id: guid, path: typeof filePath === 'string' ? filePath : guid };
  return { kind: 'progress', id: guid, received: Number(receivedBytes), expected: Number(totalBytes) };
}

interface TakeParts extends DownloadParts {
  readonly ledger: ReturnType<typeof createDownloadLedger>;
  readonly finished: Set<FinishedDownload>;
}

/** Moves a complete file out of the browser's reach and hands it to whoever keeps it; never rejects. */
async function takeOver(parts: TakeParts, id: string, given: string): Promise<void> {
  const { folder, ledger, finished, rules, log } = parts;
  // Only the name counts: every download of ours lies directly in the one folder.
  const [source, path] = [join(folder.downloads, basename(given)), join(folder.finished, basename(id))];
  const name = ledger.nameOf(id);
  try {
    await rename(source, path);
    const size = await lstatFile(path);
    if (!ledger.finish(id, size ?? 0) || size === null || name === null) return await rm(path, { force: true });
    const file = { name, path, size };
    finished.add(file);
    if (rules.keep === undefined) return;
    await rules.keep(file).finally(() => finished.delete(file));
    await rm(path, { force: true });
  } catch (error) {
    ledger.drop(id);
    log.warn({ err: error }, 'a download could not be kept');
    await rm(path, { force: true }).catch((left: unknown) => log.warn({ err: left }, 'a download was left behind'));
  }
}
