import { within } from '../within.ts';
import type { Foreground } from './foreground.ts';

const SCREENSHOT_TIMEOUT_MS = 10_000;

/** Takes a JPEG of the foreground page; rejects after 10 s, for example while a script keeps the page busy. */
export async function takeScreenshot(foreground: Foreground, signal?: AbortSignal): Promise<Uint8Array> {
  const shot = async (): Promise<Uint8Array> => {
    const page = await foreground.page();
    const early = signal === undefined ? {} : { signal };
    return page.screenshot({ type: 'jpeg', quality: 80, timeout: SCREENSHOT_TIMEOUT_MS, ...early });
  };
  return within(SCREENSHOT_TIMEOUT_MS, shot(), 'The page gave no screenshot within 10 s.');
}
