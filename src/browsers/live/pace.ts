/** What a pace goes by. */
export interface PaceOptions {
  /** Shortest time between two acknowledgements, in ms. */
  readonly intervalMs: number;
  /** Time without a picture after which what was shown last may be old, in ms. */
  readonly settleMs: number;
  /** Whether anybody would show another picture now. */
  readonly isWanted: () => boolean;
  /** Acknowledges one picture to Chromium. */
  readonly acknowledge: (number: number) => void;
  /** Asks for a picture of the page as it is. */
  readonly refresh: () => void;
}

/** Decides when Chromium hears that its pictures have been taken. */
export interface Pace {
  /** A picture has come. */
  came(number: number): void;
  /** Somebody wants pictures again. */
  wanted(): void;
  /** There may be something to see of which no picture has come. */
  mayBeOld(): void;
  /** Forgets everything, for example because the recording begins anew. */
  reset(): void;
}

/**
 * Acknowledges pictures at most once per interval and only while somebody wants them, which is how Chromium is slowed down. It
 * drops what is painted while three pictures are not acknowledged, and never makes up for it. So whenever pictures came so fast
 * that one may have been dropped, a fresh one is asked for once the page has come to rest: the last one is never old.
 */
export function createPace(options: PaceOptions): Pace {
  const { intervalMs, settleMs, isWanted, acknowledge, refresh } = options;
  const waiting: number[] = [];
  let timer: NodeJS.Timeout | null = null;
  let lastAt = Number.NEGATIVE_INFINITY;
  let cameAt = Number.NEGATIVE_INFINITY;
  let mayHaveDropped = false;

  const later = (ms: number, work: () => void): void => {
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(() => {
      timer = null;
      work();
    }, ms);
  };
  const settled = (): void => {
    if (!isWanted()) return;
    mayHaveDropped = false;
    refresh();
  };
  const next = (): void => {
    if (timer !== null || !isWanted()) return;
    const number = waiting[0];
    if (number === undefined) {
      if (mayHaveDropped) later(settleMs, settled);
      return;
    }
    const rest = lastAt + intervalMs - performance.now();
    if (rest > 0) return later(rest, next);
    waiting.shift();
    lastAt = performance.now();
    acknowledge(number);
    next();
  };
  return {
    came(number) {
      waiting.push(number);
      // Those on their way cannot be seen from here, so that any two that follow each other closely may have lost a third.
      mayHaveDropped ||= waiting.length > 1 || performance.now() - cameAt < settleMs;
      cameAt = performance.now();
      // It has not come to rest: what waits for that begins anew behind this picture.
      if (waiting.length === 1 && timer !== null) {
        clearTimeout(timer);
        timer = null;
      }
      next();
    },
    wanted: next,
    mayBeOld() {
      mayHaveDropped = true;
      next();
    },
    reset() {
      waiting.length = 0;
      mayHaveDropped = false;
      cameAt = Number.NEGATIVE_INFINITY;
      if (timer !== null) clearTimeout(timer);
      timer = null;
    },
  };
}
