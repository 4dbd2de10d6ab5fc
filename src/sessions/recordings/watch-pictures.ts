import type { HostedBrowser, LiveSeat } from '#browsers/host.ts';

/** Somebody who takes the pictures of a browser. */
export interface PictureTaker {
  /** Receives a JPEG of the tab in front, now and whenever it changes. */
  take(jpeg: Uint8Array): void;
  /** Pictures that come closer together than that are of no use. */
  readonly intervalMs: number;
}

/** Gives the pictures of a browser to a taker until the returned function is called; rejects when the browser has ended. */
export async function watchPictures(browser: HostedBrowser, taker: PictureTaker): Promise<() => Promise<void>> {
  let known: LiveSeat | null = null;
  let timer: NodeJS.Timeout | null = null;
  const rested = (): void => {
    timer = null;
    known?.wanted();
  };
  const seat = await browser.watch({
    picture({ jpeg }) {
      taker.take(jpeg);
      timer ??= setTimeout(rested, taker.intervalMs);
    },
    wantsPicture: () => timer === null,
    scene: () => undefined,
    answersDialogs: false,
  });
  known = seat;
  return async () => {
    if (timer !== null) clearTimeout(timer);
    await seat.leave();
  };
}
