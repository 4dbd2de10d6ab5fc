import type { Page } from 'playwright-core';
import type { FrameEncoder, FramePlace, FrameSize } from '../host.ts';

/** The Chromium that encodes, and nothing else. */
export interface EncoderBrowser {
  /** Settles when it has ended. */
  readonly ended: Promise<unknown>;
  /** Opens an empty page for encoders in a browser context of its own; closing the context closes the page. */
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

/*
 * These functions run inside the encoder's page: Playwright sends their source text, so each must be complete in itself and may
 * use nothing of this module. The interfaces describe the little of the page's world that they touch.
 */

interface Picture {
  readonly width: number;
  readonly height: number;
  close(): void;
}

interface Chunk {
  readonly type: 'key' | 'delta';
  readonly timestamp: number;
  readonly byteLength: number;
  copyTo(into: Uint8Array): void;
}

interface Encoder {
  configure(settings: Readonly<Record<string, unknown>>): void;
  encode(frame: { close(): void }, how: { readonly keyFrame: boolean }): void;
  flush(): Promise<void>;
}

interface Canvas {
  getContext(
    kind: '2d',
    options: { readonly alpha: false },
  ): {
    clearRect(left: number, top: number, width: number, height: number): void;
    drawImage(picture: Picture, left: number, top: number, width: number, height: number): void;
  };
}

declare const VideoEncoder: new (told: { output(chunk: Chunk): void; error(error: Error): void }) => Encoder;
declare const VideoFrame: new (picture: Picture | Canvas, options: { readonly timestamp: number }) => { close(): void };
declare const OffscreenCanvas: new (width: number, height: number) => Canvas;
declare const createImageBitmap: (from: Blob) => Promise<Picture>;
declare const fetch: (address: string) => Promise<{ blob(): Promise<Blob> }>;

/** What the page answers of a picture; bytes as base64. */
export interface PageFrame {
  readonly data: string;
  readonly isKey: boolean;
  readonly timeMs: number;
}

/** The encoder of a page. */
export interface PageEncoder {
  encode(jpeg: string, place: FramePlace): Promise<PageFrame[]>;
}

/** How a video is made. */
export interface VideoSettings extends FrameSize {
  /** Bits per second that are aimed at. */
  readonly bitrate: number;
  /** Pictures per second that are counted on. */
  readonly framerate: number;
}

/** Opens an encoder in the page; rejects where the browser has none for VP8. */
async function openPageEncoder({ width, height, bitrate, framerate }: VideoSettings): Promise<PageEncoder> {
  const made: PageFrame[] = [];
  let failure: Error | null = null;
  const output = (chunk: Chunk): void => {
    const bytes = new Uint8Array(chunk.byteLength);
    chunk.copyTo(bytes);
    // Piece by piece, since a call takes only so many arguments.
    const pieces = Array.from({ length: Math.ceil(bytes.length / 8192) }, (_, index) =>
      String.fromCharCode(...bytes.subarray(index * 8192, (index + 1) * 8192)),
    );
    made.push({ data: btoa(pieces.join('')), isKey: chunk.type === 'key', timeMs: Math.round(chunk.timestamp / 1000) });
  };
  const encoder = new VideoEncoder({ output, error: (error) => void (failure = error) });
  // `quality` drops no picture, whatever it costs in bits.
  encoder.configure({ codec: 'vp8', width, height, bitrate, framerate, latencyMode: 'quality' });
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d', { alpha: false });
  const fitted = (picture: Picture): Picture | Canvas => {
    if (picture.width === width && picture.height === height) return picture;
    const scale = Math.min(width / picture.width, height / picture.height);
    const [wide, high] = [picture.width * scale, picture.height * scale];
    context.clearRect(0, 0, width, height);
    context.drawImage(picture, (width - wide) / 2, (height - high) / 2, wide, high);
    return canvas;
  };
  return {
    async encode(jpeg, { timeMs, isKey }) {
      const picture = await createImageBitmap(await (await fetch(`data:image/jpeg;base64,${jpeg}`)).blob());
      const frame = new VideoFrame(fitted(picture), { timestamp: timeMs * 1000 });
      encoder.encode(frame, { keyFrame: isKey });
      frame.close();
      picture.close();
      await encoder.flush();
      if (failure !== null) throw failure;
      return made.splice(0);
    },
  };
}
