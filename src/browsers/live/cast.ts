import type { JsonObject } from '#lib/json.ts';
import { isJsonObject } from '#lib/json.ts';
import type { LivePicture } from './live-viewer.ts';
import { createPace } from './pace.ts';

/** What a cast works with. */
export interface CastParts {
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
  /** The picture that was shown last; null when there is none of this page. */
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
export function createCast({ command, show, isWanted }: CastParts): Cast {
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
