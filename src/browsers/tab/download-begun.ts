import type { DownloadWatch } from '../downloads/index.ts';
import { within } from '../within.ts';

/** A server that answers later than this has not begun to send. */
const DOWNLOAD_BEGINS_MS = 10_000;

/** Does what makes a page download a file, and waits until that has begun; answers the name that the page gives the file. */
export async function downloadBegun(
  downloads: Pick<DownloadWatch, 'next'>,
  signal: AbortSignal,
  act: () => Promise<void>,
): Promise<string> {
  const next = downloads.next();
  const cancelled = Promise.withResolvers<never>();
  const onAbort = (): void => cancelled.reject(signal.reason);
  try {
    await act();
    signal.throwIfAborted();
    signal.addEventListener('abort', onAbort, { once: true });
    return await within(DOWNLOAD_BEGINS_MS, Promise.race([next.begun, cancelled.promise]), 'no download began');
  } finally {
    signal.removeEventListener('abort', onAbort);
    next.stop();
  }
}
