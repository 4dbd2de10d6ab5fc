import type { HostedBrowser, LiveSeat } from '#browsers/host.ts';
import { within } from '#browsers/within.ts';
import { createGrowingVideo, type GrowingVideoDeps, type Picture } from './growing-video.ts';

/** What one browser is recorded with. */
export interface BrowserRecording extends GrowingVideoDeps {
  readonly browser: HostedBrowser;
  /** False as soon as nothing of it may be kept any more. */
  readonly mayShow: () => boolean;
  /** Resolves when recording must stop. */
  readonly stopped: Promise<void>;
}

/** How long a recording that is stopped waits for its last picture. */
const LAST_PICTURE_MS = 2_000;

/**
 * Records a browser until it ends, recording stops, a limit is reached, or viewing is not allowed any more. Resolves
 * when the file is complete; rejects when the browser cannot be watched.
 */
export async function recordBrowser(parts: BrowserRecording): Promise<void> {
  const { browser, mayShow, stopped, ...video } = parts;
  const over = Promise.withResolvers<void>();
  const now = (): number => performance.now();
  const recorder = createFrameRecorder({ ...video, now, onFull: () => over.resolve() });
  const take = (jpeg: Uint8Array): void => (mayShow() ? recorder.push(jpeg) : over.resolve());
  let leave: (() => Promise<void>) | null = null;
  try {
    leave = await watchPictures(browser, { take, intervalMs: video.bounds.frameIntervalMs });
    const wanted = Promise.race([over.promise, browser.ended]).then(() => false);
    if (await Promise.race([wanted, stopped.then(() => true)])) await takeLast(parts, take);
  } finally {
    await recorder.end();
    await leave?.();
  }
}

/** Takes a last picture at the end of a recording, because pictures of a change arrive a moment after it. */
async function takeLast({ browser, log }: BrowserRecording, take: (jpeg: Uint8Array) => void): Promise<void> {
  const picture = within(LAST_PICTURE_MS, browser.screenshot(), 'The page gave no last picture within 2 s.');
  const [last] = await Promise.allSettled([picture]);
  if (last.status === 'fulfilled') take(last.value);
  else log.info({ err: last.reason }, 'a recording ends without a last picture');
}

/** Receiver of screenshots. */
interface PictureTaker {
  /** Receives a JPEG of the tab in front, now and whenever it changes. */
  take(jpeg: Uint8Array): void;
  /** Pictures that come closer together than that are of no use. */
  readonly intervalMs: number;
}

/** Gives the pictures of a browser to a taker until the returned function is called; rejects when the browser has ended. */
async function watchPictures(browser: HostedBrowser, taker: PictureTaker): Promise<() => Promise<void>> {
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

/** What a recorder of pictures works with. */
export interface FrameRecorderDeps extends GrowingVideoDeps {
  /** Milliseconds from any moment on, never backwards. */
  readonly now: () => number;
  /** Called once when no further picture is taken, because a bound is reached or the video cannot go on. */
  readonly onFull: () => void;
}

/** Encodes pictures to a video. Under load it drops pictures, but never the latest one. */
export interface FrameRecorder {
  /** Adds a JPEG that is shown from now on. */
  push(jpeg: Uint8Array): void;
  /** Takes no more pictures; settles when the last one stands in the video until now. Never rejects. */
  end(): Promise<void>;
}

/**
 * Creates a frame recorder. It records pictures at their own times, so that an unchanged page costs nothing. It encodes
 * one picture at a time and keeps only the latest pending one, so its memory is bounded.
 */
export function createFrameRecorder(deps: FrameRecorderDeps): FrameRecorder {
  const { bounds, now, log } = deps;
  const video = createGrowingVideo(deps);
  let waiting: Picture | null = null;
  let last: Picture | null = null;
  let working: Promise<void> | null = null;
  let timer: NodeJS.Timeout | null = null;
  let nextAt = Number.NEGATIVE_INFINITY;
  let isOver = false;

  const stop = (): void => {
    if (isOver) return;
    isOver = true;
    deps.onFull();
  };
  const add = async (picture: Picture): Promise<void> => {
    try {
      const room = await video.add(picture);
      last = picture;
      if (!room) stop();
    } catch (error) {
      log.warn({ err: error, file: deps.file }, 'a recording ends here: it could not go on');
      stop();
    }
  };
  const work = (): void => {
    timer = null;
    const picture = waiting;
    if (picture === null) return;
    waiting = null;
    nextAt = now() + bounds.frameIntervalMs;
    working = add(picture).finally(() => {
      working = null;
      plan();
    });
  };
  const plan = (): void => {
    if (isOver || waiting === null || timer !== null || working !== null) return;
    timer = setTimeout(work, Math.max(0, nextAt - now()));
  };
  return {
    push(jpeg) {
      if (isOver) return;
      waiting = { jpeg, at: now() };
      plan();
    },
    async end() {
      const wasOver = isOver;
      isOver = true;
      if (timer !== null) clearTimeout(timer);
      await working;
      if (!wasOver && waiting !== null) await add(waiting);
      // A video lasts until its last picture: the one that stands there is shown once more.
      if (!wasOver && last !== null) await add({ jpeg: last.jpeg, at: now() });
      await video.close();
    },
  };
}
