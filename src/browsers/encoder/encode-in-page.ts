import type { FramePlace, FrameSize } from '../frame-encoder.ts';

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
export async function openPageEncoder({ width, height, bitrate, framerate }: VideoSettings): Promise<PageEncoder> {
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
