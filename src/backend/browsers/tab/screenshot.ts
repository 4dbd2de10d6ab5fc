import { within } from '../within.ts';
import type { Foreground } from './foreground.ts';

const SCREENSHOT_TIMEOUT_MS = 10_000;

/** A JPEG of the foreground page; rejects after 10 s, for example while a script keeps the page busy. */
export async function takeScreenshot(foreground: Foreground): Promise<Uint8Array> {
  const shot = async (): Promise<Uint8Array> => {
    const page = await foreground.page();
    return page.screenshot({ type: 'jpeg', quality: 80, timeout: SCREENSHOT_TIMEOUT_MS });
  };
  return within(SCREENSHOT_TIMEOUT_MS, shot(), 'The page gave no screenshot within 10 s.');
}
