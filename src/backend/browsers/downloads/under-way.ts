import { join } from 'node:path';
import type { HostLog } from '../host-log.ts';
import type { DownloadTaker } from './downloaded-file.ts';
import { takeFromDisk } from './take-from-disk.ts';

/** Downloads that have begun and are neither taken nor given up. */
export interface UnderWay {
  /** A download has begun; one too many is given up at once. */
  add(guid: string, fileName: string): void;
  /** So many bytes of it have come; one that is too large is given up. */
  grow(guid: string, bytes: number): void;
  /** All of it has come: the taker gets it. */
  complete(guid: string): void;
  /** No file comes of it, unless the taker has it already. */
  giveUp(guid: string, reason: string): void;
  giveUpAll(reason: string): void;
  /** Settles when none is left; never rejects. */
  settled(): Promise<void>;
}

interface Parts {
  readonly folder: string;
  readonly taker: DownloadTaker;
  readonly log: HostLog;
  /** Tells the browser to stop a download. */
  readonly cancel: (guid: string) => void;
}

interface Download {
  readonly fileName: string;
  readonly over: PromiseWithResolvers<void>;
  isTaken: boolean;
}

/** Chromium names a download by a uuid; anything else would be a path from outside. */
const guidPattern = /^[0-9a-f-]{36}$/i;

/** An empty set of downloads. */
export function createUnderWay(parts: Parts): UnderWay {
  const { taker, cancel } = parts;
  const downloads = new Map<string, Download>();
  const end = (guid: string): void => {
    const download = downloads.get(guid);
    downloads.delete(guid);
    download?.over.resolve();
  };
  const giveUp = (guid: string, reason: string): void => {
    const download = downloads.get(guid);
    if (download === undefined || download.isTaken) return;
    cancel(guid);
    taker.refused(download.fileName, reason);
    end(guid);
  };
  return {
    add(guid, fileName) {
      if (!guidPattern.test(guid)) return;
      const isTooMany = downloads.size >= taker.atOnceMax;
      downloads.set(guid, { fileName, over: Promise.withResolvers(), isTaken: false });
      if (isTooMany) giveUp(guid, `there are more than ${taker.atOnceMax} at the same time`);
    },
    grow(guid, bytes) {
      if (bytes > taker.bytesMax) giveUp(guid, `it is larger than ${taker.bytesMax} bytes`);
    },
    complete(guid) {
      const download = downloads.get(guid);
      if (download === undefined || download.isTaken) return;
      download.isTaken = true;
      void take(parts, guid, download.fileName).finally(() => end(guid));
    },
    giveUp,
    giveUpAll(reason) {
      for (const guid of [...downloads.keys()]) giveUp(guid, reason);
    },
    async settled() {
      while (downloads.size > 0) await Promise.all(Array.from(downloads.values(), ({ over }) => over.promise));
    },
  };
}

/** Nobody waits for it: what goes wrong is told to the taker and to the log. */
async function take({ folder, taker, log }: Parts, guid: string, fileName: string): Promise<void> {
  try {
    const refusal = await takeFromDisk(join(folder, guid), fileName, taker);
    if (refusal !== null) taker.refused(fileName, refusal);
  } catch (error) {
    log.warn({ err: error }, 'a download could not be taken');
    taker.refused(fileName, 'it could not be read or stored');
  }
}
