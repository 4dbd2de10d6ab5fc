import type { HostLog } from '../host-log.ts';
import { type DownloadClaim, type DownloadTaker, type FinishedDownload, readPieces } from './downloads.ts';
import type { DownloadWatch } from './watch-downloads.ts';

interface Claimed {
  readonly fileName: string;
  readonly over: PromiseWithResolvers<void>;
  isTaken: boolean;
}

/** Maximum time that `settled` waits for pending downloads at the end of a task, in milliseconds. */
const waitMs = 30_000;

/** Passes each download that begins later to `taker`, until the returned claim is stopped. */
export function claimDownloads(
  watch: Pick<DownloadWatch, 'follow' | 'cancel'>,
  taker: DownloadTaker,
  log: HostLog,
): DownloadClaim {
  const claimed = new Map<string, Claimed>();
  const end = (id: string): void => {
    claimed.get(id)?.over.resolve();
    claimed.delete(id);
  };
  const fail = (id: string, reason: string): void => {
    const download = claimed.get(id);
    if (download === undefined || download.isTaken) return;
    taker.refused(download.fileName, reason);
    end(id);
  };
  const cancelling = new Set<Promise<void>>();
  let isOver = false;
  const giveUpAll = (reason: string): void => {
    for (const [id, { isTaken }] of claimed) {
      if (!isTaken) cancelling.add(watch.cancel(id));
      fail(id, reason);
    }
  };
  const cancel = (): void => {
    isOver = true;
    giveUpAll('the task ended before it was complete');
  };
  const unfollow = watch.follow({
    began(id, fileName) {
      claimed.set(id, { fileName, over: Promise.withResolvers(), isTaken: false });
      if (isOver) cancel();
    },
    failed: fail,
    async take(id, file) {
      const download = claimed.get(id);
      if (download === undefined) return false;
      download.isTaken = true;
      await handOver(taker, file, log).finally(() => end(id));
      return true;
    },
  });
  const settled = async (): Promise<void> => {
    while (claimed.size > 0) await Promise.all(Array.from(claimed.values(), ({ over }) => over.promise));
  };
  return {
    async settled() {
      const timer = setTimeout(() => giveUpAll(`it took longer than ${waitMs / 1_000} s`), waitMs);
      await settled();
      clearTimeout(timer);
    },
    cancel,
    async stop() {
      cancel();
      await settled();
      await Promise.all(cancelling);
      unfollow();
    },
  };
}

/** Passes a finished download to a taker. Reports a failure to the taker and the log; never rejects. */
async function handOver(
  taker: DownloadTaker,
  { name: fileName, path, size }: FinishedDownload,
  log: HostLog,
): Promise<void> {
  try {
    await taker.take({ fileName, size, bytes: readPieces(path) });
  } catch (error) {
    log.warn({ err: error }, 'a download could not be taken');
    taker.refused(fileName, 'it could not be read or stored');
  }
}
