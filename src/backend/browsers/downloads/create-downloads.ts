import type { HostLog } from '../host-log.ts';
import type { CdpMessage } from '../pipe/cdp-message.ts';
import type { CdpMux } from '../pipe/cdp-mux.ts';
import { openCommandChannel } from '../pipe/command-channel.ts';
import type { DownloadTaker, DownloadWatch } from './downloaded-file.ts';
import { within } from '../within.ts';
import { type UnderWay, createUnderWay } from './under-way.ts';

/** The downloads of one browser. */
export interface Downloads {
  /** From now on files go to the taker, until its watch is stopped; one taker at a time. */
  watch(taker: DownloadTaker): Promise<DownloadWatch>;
  /** The name of the next download that begins, until `stop` is called. */
  next(): { readonly begun: Promise<string>; stop(): void };
}

interface Parts {
  readonly mux: CdpMux;
  /** The browser's own folder, where Chromium puts files under names that nobody can guess. */
  readonly folder: string;
  readonly log: HostLog;
}

/** A server that sends so slowly is not waited for: a task has to end. */
const WAIT_MS = 30_000;
/** Some milliseconds, unless the browser hangs. */
const ATTACH_TIMEOUT_MS = 15_000;

/** The downloads of a browser, watched through a DevTools client of its own. */
export function createDownloads(parts: Parts): Downloads {
  const waiting = new Set<(fileName: string) => void>();
  const begins = (fileName: string): void => {
    for (const tell of waiting) tell(fileName);
  };
  return {
    watch: (taker) => startWatch(parts, taker, begins),
    next() {
      const { promise: begun, resolve } = Promise.withResolvers<string>();
      waiting.add(resolve);
      return { begun, stop: () => void waiting.delete(resolve) };
    },
  };
}

async function startWatch(
  { mux, folder, log }: Parts,
  taker: DownloadTaker,
  begins: (fileName: string) => void,
): Promise<DownloadWatch> {
  const channel = await openCommandChannel(mux, (event) => {
    const { guid, fileName } = namesIn(event);
    if (event.method === 'Browser.downloadProgress') follow(underWay, guid, event);
    if (event.method !== 'Browser.downloadWillBegin') return;
    underWay.add(guid, fileName);
    begins(fileName);
  });
  const cancel = (guid: string): void => void channel.ask({ method: 'Browser.cancelDownload', params: { guid } });
  const underWay = createUnderWay({ folder, taker, log, cancel });
  const params = { behavior: 'allowAndName', downloadPath: folder, eventsEnabled: true };
  const listening = channel.ask({ method: 'Browser.setDownloadBehavior', params });
  await within(ATTACH_TIMEOUT_MS, listening, 'The browser did not let its downloads be watched in time.');
  return {
    async settled() {
      const timer = setTimeout(() => underWay.giveUpAll(`it took longer than ${WAIT_MS / 1_000} s`), WAIT_MS);
      await underWay.settled();
      clearTimeout(timer);
    },
    async stop() {
      underWay.giveUpAll('the task ended before it was complete');
      await channel.close();
      await underWay.settled();
    },
  };
}

function follow(underWay: UnderWay, guid: string, { params }: CdpMessage): void {
  const state = params?.['state'];
  underWay.grow(guid, Number(params?.['receivedBytes']));
  if (state === 'canceled') underWay.giveUp(guid, 'it broke off');
  if (state === 'completed') underWay.complete(guid);
}

function namesIn({ params }: CdpMessage): { guid: string; fileName: string } {
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  return { guid: text(params?.['guid']), fileName: text(params?.['suggestedFilename']) };
}
