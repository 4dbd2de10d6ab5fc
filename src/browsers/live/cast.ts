import { isJsonObject, type JsonObject } from '#lib/json.ts';
import type { LivePicture } from './live-viewer.ts';

/** Dependencies of a screencast. */
export interface CastDeps {
  /** Sends a command to a page without waiting for its reply. */
  readonly command: (session: string, method: string, params?: JsonObject) => void;
  readonly show: (picture: LivePicture) => void;
  /** Returns whether at least one viewer is ready to receive another frame. */
  readonly isWanted: () => boolean;
}

/** A screencast of one page at a time. */
export interface Cast {
  /**
   * Starts a screencast of the page with this DevTools session, and stops the previous screencast. Null only stops the
   * previous screencast.
   */
  follow(session: string | null): void;
  /** Handles a `Page.screencastFrame` event. */
  take(session: string, params: JsonObject): void;
  wanted(): void;
  /** Handles the load event of a page. */
  loaded(session: string): void;
  /** Returns the latest frame of the current page; null when no frame has arrived. */
  last(): LivePicture | null;
}

/**
 * Options of Chromium's screencast. With an `everyNthFrame` above 1, a page that paints once would send no frame.
 * Larger pages are scaled down.
 */
const recording = { format: 'jpeg', quality: 70, everyNthFrame: 1, maxWidth: 1920, maxHeight: 1920 } as const;
/** Minimum interval in ms between two acknowledged frames: about thirty frames a second. */
const defaultIntervalMs = 33;
const defaultSettleMs = 150;

/** Creates a screencast that follows no page yet. */
export function createCast({ command, show, isWanted }: CastDeps): Cast {
  let current: string | null = null;
  let last: LivePicture | null = null;
  const start = (session: string): void => command(session, 'Page.startScreencast', recording);
  const pace = createPace({
    intervalMs: defaultIntervalMs,
    settleMs: defaultSettleMs,
    isWanted,
    acknowledge: (number) => current !== null && command(current, 'Page.screencastFrameAck', { sessionId: number }),
    refresh() {
      if (current === null) return;
      // Starting a screencast sends the current page.
      command(current, 'Page.stopScreencast');
      start(current);
    },
  });
  return {
    follow(session) {
      if (session === current) return;
      pace.reset();
      last = null;
      if (current !== null) command(current, 'Page.stopScreencast');
      current = session;
      if (session !== null) start(session);
    },
    take(session, { data, metadata, sessionId: number }) {
      if (session !== current || typeof number !== 'number') return;
      const picture = getPicture(data, metadata);
      if (picture !== null) {
        last = picture;
        show(picture);
      }
      pace.came(number);
    },
    wanted: () => pace.wanted(),
    loaded(session) {
      // Chromium sometimes sends no frame of a page that paints once right after it was opened in a new process.
      if (session === current) pace.mayBeOld();
    },
    last: () => last,
  };
}

function getPicture(data: unknown, metadata: unknown): LivePicture | null {
  if (typeof data !== 'string' || !isJsonObject(metadata)) return null;
  const { deviceWidth: width, deviceHeight: height } = metadata;
  if (typeof width !== 'number' || typeof height !== 'number') return null;
  return { jpeg: Buffer.from(data, 'base64'), width: Math.round(width), height: Math.round(height) };
}

/** Options of the frame rate control. */
export interface PaceOptions {
  /** Minimum time between two acknowledgements of frames, in milliseconds. */
  readonly intervalMs: number;
  /** Time without a frame after which a page counts as static, in milliseconds. */
  readonly settleMs: number;
  /** Returns whether at least one viewer is ready to receive another frame. */
  readonly isWanted: () => boolean;
  /** Acknowledges a frame to Chromium. */
  readonly acknowledge: (number: number) => void;
  /** Requests a frame of the current page. */
  readonly refresh: () => void;
}

/** Decides when frames are acknowledged to Chromium. */
export interface Pace {
  /** Handles a received frame. */
  came(number: number): void;
  /** Reports that a viewer wants frames again. */
  wanted(): void;
  /** Reports that the latest frame may be outdated, so that a new frame is requested once the page is static. */
  mayBeOld(): void;
  /** Forgets unacknowledged frames and stops the timer, because another screencast starts. */
  reset(): void;
}

/**
 * Creates a frame rate control. It acknowledges frames at most once per interval and only while viewers want frames.
 * Chromium sends no further frame while three are unacknowledged. If frames arrived so fast that Chromium may have
 * dropped one, the control requests a new frame once the page is static. The latest frame thus always shows the current
 * page.
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
      // Frames in transit are invisible here, so two frames in quick succession may hide a dropped frame.
      mayHaveDropped ||= waiting.length > 1 || performance.now() - cameAt < settleMs;
      cameAt = performance.now();
      // The page is not static yet: the settle time restarts after this frame.
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
