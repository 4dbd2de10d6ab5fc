import type { Page } from 'playwright-core';
import type { FrameEncoder, FramePlace, FrameSize } from '../host.ts';

/** The Chromium of the encoders. */
export interface EncoderBrowser {
  /** Resolves when the browser has ended. */
  readonly ended: Promise<unknown>;
  /** Opens an empty page for encoders in a browser context of its own; closing the context closes the page. */
  openPage(): Promise<Page>;
  stop(): Promise<void>;
}

/** Opens encoders in a shared Chromium. */
export interface EncoderPool {
  open(size: FrameSize): Promise<FrameEncoder>;
  /** Ends the shared Chromium with all its encoders, and prevents new encoders. */
  close(): Promise<void>;
}

/** Video settings of all encoders. At 2 Mbit/s text is readable, and a static page needs hardly any data. */
const video = { bitrate: 2_000_000, framerate: 10 } as const;

interface Shared {
  readonly starting: Promise<EncoderBrowser>;
  users: number;
}

/**
 * Creates a pool of video encoders that share one Chromium. The Chromium starts for the first encoder and ends with the
 * last. Each encoder has its own browser context and processes, so frames of different sessions never mix.
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
    // A Chromium that failed or ended must not serve later encoders.
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
    // A failed start was reported to its caller and left no process.
    if (started.status === 'fulfilled') await started.value.stop();
  };
  return {
    async open(size) {
      if (closed) throw new Error('This browser host is closed.');
      const used = (shared ??= share());
      used.users += 1;
      try {
        return await openEncoder(await used.starting, { ...video, ...size }, () => leave(used));
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
  const encoder = await page
    .evaluateHandle<PageEncoder, VideoSettings>(openPageEncoder, settings)
    .catch(async (error: unknown) => {
      await page.context().close();
      throw error;
    });
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
 * The functions below run in the encoder's page: Playwright sends their source text, so they must not use other
 * declarations of this module.
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

/** An encoded frame from the page; bytes as base64. */
export interface PageFrame {
  readonly data: string;
  readonly isKey: boolean;
  readonly timeMs: number;
}

/** Encoder object inside the page. */
export interface PageEncoder {
  encode(jpeg: string, place: FramePlace): Promise<PageFrame[]>;
}

/** Video settings. */
export interface VideoSettings extends FrameSize {
  /** Target bit rate, in bits per second. */
  readonly bitrate: number;
  /** Expected frames per second. */
  readonly framerate: number;
}

/** Creates a VP8 encoder; runs in the page of the encoder. Rejects when the browser has no `VideoEncoder`. */
async function openPageEncoder({ width, height, bitrate, framerate }: VideoSettings): Promise<PageEncoder> {
  const made: PageFrame[] = [];
  let failure: Error | null = null;
  const output = (chunk: Chunk): void => {
    const bytes = new Uint8Array(chunk.byteLength);
    chunk.copyTo(bytes);
    // In chunks, because a call accepts a limited number of arguments.
    const pieces = Array.from({ length: Math.ceil(bytes.length / 8192) }, (_, index) =>
      String.fromCharCode(...bytes.subarray(index * 8192, (index + 1) * 8192)),
    );
    made.push({ data: btoa(pieces.join('')), isKey: chunk.type === 'key', timeMs: Math.round(chunk.timestamp / 1000) });
  };
  const encoder = new VideoEncoder({ output, error: (error) => void (failure = error) });
  // `quality` drops no frame, whatever its size.
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
