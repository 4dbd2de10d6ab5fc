import type { CDPSession, Page } from 'playwright-core';
import type { HostLog } from '../host-log.ts';
import type { Foreground } from './foreground.ts';
import { latestEvery } from './latest-every.ts';

/** Receives JPEG frames. */
export type Viewer = (frame: Uint8Array) => void;

/** What a screencast needs. */
export interface ScreencastOptions {
  readonly foreground: Foreground;
  /** A picture of the page as it is now. */
  readonly screenshot: () => Promise<Uint8Array>;
  readonly log: HostLog;
}

/** The live picture of a browser, shared by all its viewers. */
export interface Screencast {
  /** Adds a viewer; the returned function removes it. The recording runs only while there are viewers. */
  watch(viewer: Viewer): Promise<() => Promise<void>>;
}

/**
 * Every frame: with a larger `everyNthFrame` Chromium counts, so a page that is painted only once or twice, which most
 * are, would send nothing. How many reach the viewers is limited here instead.
 */
const RECORDING = { format: 'jpeg', quality: 60, everyNthFrame: 1 } as const;

/** Ten frames a second are enough to follow what happens, and an animated page would send sixty. */
const FRAME_INTERVAL_MS = 100;

/** One screencast for all viewers, which moves along when another tab comes to the front. */
export function createScreencast({ foreground, screenshot, log }: ScreencastOptions): Screencast {
  const viewers = new Set<Viewer>();
  let recording: { readonly page: Page; readonly session: CDPSession } | null = null;
  let queue: Promise<void> = Promise.resolve();

  const frames = latestEvery<Uint8Array>(FRAME_INTERVAL_MS, (frame) => viewers.forEach((viewer) => viewer(frame)));
  const adjust = async (): Promise<void> => {
    const page = viewers.size === 0 ? null : await foreground.page();
    if (recording?.page === page) return;
    await recording?.session.detach().catch(ignoreEndedSession);
    recording = page === null ? null : { page, session: await record(page, (frame) => frames.push(frame)) };
    // A page is painted when it changes; one that came to the front long after its last change sends no frame by itself.
    if (page === null) frames.cancel();
    else frames.push(await screenshot());
  };
  /** One change at a time: starting and stopping must not overtake each other. */
  const inTurn = (): Promise<void> => {
    queue = queue
      .then(adjust)
      .catch((error: unknown) => log.warn({ err: error }, 'the live view could not follow the tab'));
    return queue;
  };
  foreground.onChange(() => {
    if (viewers.size > 0) void inTurn();
  });

  return {
    async watch(viewer) {
      const running = recording !== null;
      const leave = async (): Promise<void> => {
        viewers.delete(viewer);
        await inTurn();
      };
      viewers.add(viewer);
      await inTurn();
      if (!running) return leave;
      try {
        viewer(await screenshot());
      } catch (error) {
        await leave();
        throw error;
      }
      return leave;
    },
  };
}

async function record(page: Page, show: (frame: Uint8Array) => void): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page);
  session.on('Page.screencastFrame', ({ data, sessionId }) => {
    show(Buffer.from(data, 'base64'));
    // Chromium sends the next frame only after this; when the page has gone meanwhile there is none to send.
    session.send('Page.screencastFrameAck', { sessionId }).catch(ignoreEndedSession);
  });
  await session.send('Page.startScreencast', RECORDING);
  return session;
}

/** A recording that ended together with its page has nothing left to stop; Playwright has no error class for it. */
function ignoreEndedSession(error: unknown): void {
  if (error instanceof Error && /closed|detached|crashed|not found/i.test(error.message)) return;
  throw error;
}
