import type { Page } from 'playwright-core';
import type { FrameEncoder, FrameSize } from '../frame-encoder.ts';
import { type PageEncoder, type VideoSettings, openPageEncoder } from './encode-in-page.ts';

/** The Chromium that encodes, and nothing else. */
export interface EncoderBrowser {
  /** Settles when it has ended. */
  readonly ended: Promise<unknown>;
  /** An empty page in a context of its own, in which encoders may be used; closing the context ends it. */
  openPage(): Promise<Page>;
  stop(): Promise<void>;
}

/** Opens encoders, and owns the Chromium that they share. */
export interface EncoderPool {
  open(size: FrameSize): Promise<FrameEncoder>;
  /** Ends every encoder; none is opened from then on. */
  close(): Promise<void>;
}

/** Text of pages stays readable with less than 2 Mbit/s, and a page at rest costs nothing. */
const VIDEO = { bitrate: 2_000_000, framerate: 10 } as const;

interface Shared {
  readonly starting: Promise<EncoderBrowser>;
  users: number;
}

/**
 * Encoders that share one Chromium, which is started for the first and ends with the last. Each has a browser context of its own,
 * and with it processes of its own: pictures of one browser never meet those of another.
 */
export function createEncoderPool(start: () => Promise<EncoderBrowser>): EncoderPool {
  let shared: Shared | null = null;
  let closed = false;
  const running = new Set<Promise<unknown>>();

  const share = (): Shared => {
    const fresh: Shared = { starting: start(), users: 0 };
    const forget = (): void => {
      if (shared === fresh) shared = null;
    };
    // One that did not start, or has ended, is of no use to whoever comes next.
    const over = fresh.starting.then((browser) => browser.ended).then(forget, forget);
    running.add(over);
    void over.then(() => running.delete(over));
    return fresh;
  };
  const leave = async (used: Shared): Promise<void> => {
    used.users -= 1;
    if (used.users > 0) return;
    if (shared === used) shared = null;
    const [started] = await Promise.allSettled([used.starting]);
    // One that did not start was reported to whoever wanted it, and left nothing behind.
    if (started.status === 'fulfilled') await started.value.stop();
  };
  return {
    async open(size) {
      if (closed) throw new Error('This browser host is closed.');
      const used = (shared ??= share());
      used.users += 1;
      try {
        return await openEncoder(await used.starting, { ...VIDEO, ...size }, () => leave(used));
      } catch (error) {
        await leave(used);
        throw error;
      }
    },
    async close() {
      closed = true;
      const [started] = await Promise.allSettled([shared?.starting]);
      if (started.status === 'fulfilled') await started.value?.stop();
      await Promise.all(running);
    },
  };
}

async function openEncoder(
  browser: EncoderBrowser,
  settings: VideoSettings,
  leave: () => Promise<void>,
): Promise<FrameEncoder> {
  const page = await browser.openPage();
  const encoder = await page.evaluateHandle<PageEncoder, VideoSettings>(openPageEncoder, settings);
  let open = true;
  return {
    async encode(jpeg, place) {
      const picture = Buffer.from(jpeg).toString('base64');
      const made = await encoder.evaluate((it, given) => it.encode(given.picture, given.place), { picture, place });
      return made.map((frame) => ({ ...frame, data: Buffer.from(frame.data, 'base64') }));
    },
    async close() {
      if (!open) return;
      open = false;
      const [, left] = await Promise.allSettled([page.context().close(), leave()]);
      if (left.status === 'rejected') throw left.reason;
    },
  };
}
