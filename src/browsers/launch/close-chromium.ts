import type { CdpMux } from '../pipe/cdp-mux.ts';
import { within } from '../within.ts';
import type { ChromiumProcess } from './spawn-chromium.ts';

/** Chromium writes its profile within 0.2 s after `Browser.close`; what takes longer than this hangs. */
const CLOSE_TIMEOUT_MS = 5_000;

/**
 * Ends a browser and waits until all its processes have gone. It is asked first, because only then it writes its
 * profile and waits for its children; a browser that does not close within 5 s is killed.
 */
export async function closeChromium(chromium: ChromiumProcess, mux: CdpMux): Promise<void> {
  // The reply only says that closing has begun, and fails when the browser has ended already: the end is what counts.
  mux.command('Browser.close').catch(() => undefined);
  try {
    await within(CLOSE_TIMEOUT_MS, chromium.gone, 'The browser did not close.');
  } catch {
    // Only the time limit can reject here, since the end of a process is never an error.
    chromium.kill();
    await chromium.gone;
  }
}
