import { type GrowingVideoParts, type Picture, createGrowingVideo } from './create-growing-video.ts';

/** What a recorder of pictures works with. */
export interface FrameRecorderParts extends GrowingVideoParts {
  /** Milliseconds from any moment on, never backwards. */
  readonly now: () => number;
  /** Called once when no further picture is taken, because a bound is reached or the video cannot go on. */
  readonly onFull: () => void;
}

/** Turns pictures into a video as they come; what it cannot keep up with is left out, the latest never. */
export interface FrameRecorder {
  /** Takes a JPEG as what is to be seen from now on. */
  push(jpeg: Uint8Array): void;
  /** Takes no more pictures; settles when the last one stands in the video until now. Never rejects. */
  end(): Promise<void>;
}

/**
 * Records pictures at their own times, so that a page at rest costs nothing. One picture is encoded at a time, and only the latest
 * waits: what is kept in memory does not grow.
 */
export function createFrameRecorder(parts: FrameRecorderParts): FrameRecorder {
  const { bounds, now, log } = parts;
  const video = createGrowingVideo(parts);
  let waiting: Picture | null = null;
  let last: Picture | null = null;
  let working: Promise<void> | null = null;
  let timer: NodeJS.Timeout | null = null;
  let nextAt = Number.NEGATIVE_INFINITY;
  let isOver = false;

  const stop = (): void => {
    if (isOver) return;
    isOver = true;
    parts.onFull();
  };
  const add = async (picture: Picture): Promise<void> => {
    try {
      const room = await video.add(picture);
      last = picture;
      if (!room) stop();
    } catch (error) {
      log.warn({ err: error, file: parts.file }, 'a recording ends here: it could not go on');
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
