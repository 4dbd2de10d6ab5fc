import { isJsonObject, type JsonObject } from '#lib/json.ts';
import type { LivePicture } from './live-viewer.ts';

/** What a cast works with. */
export interface CastDeps {
  /** Sends a command to a page; what it answers is of no interest. */
  readonly command: (session: string, method: string, params?: JsonObject) => void;
  readonly show: (picture: LivePicture) => void;
  /** Whether anybody would show another picture now. */
  readonly isWanted: () => boolean;
}

/** The pictures of one page at a time. */
export interface Cast {
  /** From now on the pictures of the page of that session are shown, null for none. */
  follow(session: string | null): void;
  /** Takes what Chromium has sent as `Page.screencastFrame`. */
  take(session: string, params: JsonObject): void;
  wanted(): void;
  /** Takes that the page of that session has been loaded. */
  loaded(session: string): void;
  /** Returns the last frame; null without a frame of this page. */
  last(): LivePicture | null;
}

/**
 * Every picture: with a larger `everyNthFrame` a page that is painted once, which most are, would send none. A page that is
 * larger than the bounds comes scaled down.
 */
const RECORDING = { format: 'jpeg', quality: 70, everyNthFrame: 1, maxWidth: 1920, maxHeight: 1920 } as const;
/** Thirty pictures a second at most. */
const INTERVAL_MS = 33;
const SETTLE_MS = 150;

/** A cast of no page. */
export function createCast({ command, show, isWanted }: CastDeps): Cast {
  let current: string | null = null;
  let last: LivePicture | null = null;
  const start = (session: string): void => command(session, 'Page.startScreencast', RECORDING);
  const pace = createPace({
    intervalMs: INTERVAL_MS,
    settleMs: SETTLE_MS,
    isWanted,
    acknowledge: (number) => current !== null && command(current, 'Page.screencastFrameAck', { sessionId: number }),
    refresh() {
      if (current === null) return;
      // A recording that begins sends the page as it is.
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
      const picture = pictureOf(data, metadata);
      if (picture !== null) {
        last = picture;
        show(picture);
      }
      pace.came(number);
    },
    wanted: () => pace.wanted(),
    loaded(session) {
      // Newer Chromiums sometimes send no picture of a page that is painted once, right after it was opened in a process of its own.
      if (session === current) pace.mayBeOld();
    },
    last: () => last,
  };
}

function pictureOf(data: unknown, metadata: unknown): LivePicture | null {
  if (typeof data !== 'string' || !isJsonObject(metadata)) return null;
  const { deviceWidth: width, deviceHeight: height } = metadata;
  if (typeof width !== 'number' || typeof height !== 'number') return null;
  return { jpeg: Buffer.from(data, 'base64'), width: Math.round(width), height: Math.round(height) };
}

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
  /** Requests a picture of the current page. */
  readonly refresh: () => void;
}

/** Decides when Chromium hears that its pictures have been taken. */
export interface Pace {
  /** A picture has come. */
  came(number: number): void;
  /** A viewer wants frames again. */
  wanted(): void;
  /** There may be something to see of which no picture has come. */
  mayBeOld(): void;
  /** Forgets everything, for example because the recording begins anew. */
  reset(): void;
}

/**
 * Acknowledges frames at most once per interval and only while viewers want them, which throttles Chromium. Chromium
 * drops frames while three are unacknowledged. When frames came so fast that one may have been dropped, a fresh frame
 * is requested once the page is static, so the last frame is always current.
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
