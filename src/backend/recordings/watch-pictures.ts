import type { HostedBrowser } from '../browsers/host.ts';

/** Somebody who takes the pictures of a browser. */
export interface PictureTaker {
  /** Receives a JPEG of the tab in front, now and whenever it changes. */
  take(jpeg: Uint8Array): void;
}

/** Gives the pictures of a browser to a taker until the returned function is called; rejects when the browser has ended. */
export function watchPictures(browser: HostedBrowser, taker: PictureTaker): Promise<() => Promise<void>> {
  return browser.watch((jpeg) => taker.take(jpeg));
}
