import type { FrameEncoder, FrameSize } from '#browsers/host.ts';
import type { HostLog } from '#browsers/host-log.ts';
import type { RecordingBounds } from './keep-recording.ts';
import type { VideoSize, WebmWriter } from './webm-writer.ts';
import { openWebm } from './webm-reader.ts';

/** A JPEG with its time in milliseconds of a steady clock. */
export interface Picture {
  readonly jpeg: Uint8Array;
  readonly at: number;
}

/** Options of a growing video. */
export interface GrowingVideoDeps {
  /** Absolute path; an existing video is continued. */
  readonly file: string;
  readonly openEncoder: (size: FrameSize) => Promise<FrameEncoder>;
  readonly bounds: RecordingBounds;
  readonly log: HostLog;
}

/** A video file that frames are appended to. */
export interface GrowingVideo {
  /** Appends a frame; false when the video is full. Rejects when the video cannot continue. */
  add(picture: Picture): Promise<boolean>;
  /** Ends its encoder and closes the file. Never rejects. */
  close(): Promise<void>;
}

/** Maximum of encoders per video: a failed encoder is replaced, but not without end. */
const encodersMax = 4;

/** Creates a video that opens its file and encoder on demand; its size is that of the first frame. */
export function createGrowingVideo({ file, openEncoder, bounds, log }: GrowingVideoDeps): GrowingVideo {
  let writer: WebmWriter | null = null;
  let encoder: FrameEncoder | null = null;
  let encoders = 0;
  let began: { readonly at: number; readonly timeMs: number } | null = null;
  let keyAtMs = 0;

  const timeOf = (picture: Picture, lastMs: number | null): number => {
    // The time between two processes of a browser is not part of the video.
    began ??= { at: picture.at, timeMs: lastMs === null ? 0 : lastMs + bounds.frameIntervalMs };
    const timeMs = began.timeMs + Math.round(picture.at - began.at);
    return lastMs === null ? timeMs : Math.max(timeMs, lastMs + 1);
  };
  const encode = async (picture: Picture, to: WebmWriter): Promise<void> => {
    const timeMs = timeOf(picture, to.lastMs());
    const isFresh = encoder === null;
    if (encoder === null) {
      encoders += 1;
      encoder = await openEncoder(to.size);
    }
    const isKey = isFresh || timeMs - keyAtMs >= bounds.keyIntervalMs;
    for (const frame of await encoder.encode(picture.jpeg, { timeMs, isKey })) await to.append(frame);
    if (isKey) keyAtMs = timeMs;
  };
  const leaveEncoder = async (): Promise<void> => {
    const [left] = await Promise.allSettled([encoder?.close()]);
    encoder = null;
    if (left.status === 'rejected') log.warn({ err: left.reason }, 'an encoder did not end cleanly');
  };
  return {
    async add(picture) {
      writer ??= await openWebm(file, sizeFor(picture, bounds));
      for (;;) {
        try {
          await encode(picture, writer);
          return writer.bytes() < bounds.bytesMax && (writer.lastMs() ?? 0) < bounds.durationMaxMs;
        } catch (error) {
          await leaveEncoder();
          if (encoders >= encodersMax) throw error;
          log.warn({ err: error, file }, 'a picture was not recorded: another encoder tries');
        }
      }
    },
    async close() {
      await leaveEncoder();
      const [closed] = await Promise.allSettled([writer?.close()]);
      if (closed.status === 'rejected') log.warn({ err: closed.reason, file }, 'a recording was not closed');
    },
  };
}

function sizeFor({ jpeg }: Picture, { sideMax }: RecordingBounds): FrameSize {
  const size = jpegSize(jpeg);
  if (size === null) throw new Error('found a picture that is no JPEG');
  return videoSize(size, sideMax);
}

/** Returns whether a JPEG marker has no length field. */
const standsAlone = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd9);

/** Returns whether a marker starts a frame; markers of tables and extensions lie in the same range. */
const startsFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

/** Returns width and height of a JPEG in pixels, or null for other bytes. Reads segment headers only. */
export function jpegSize(bytes: Uint8Array): VideoSize | null {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.length < 4 || view.readUInt16BE(0) !== 0xffd8) return null;
  let at = 2;
  while (at + 9 <= view.length && view.readUInt8(at) === 0xff) {
    const marker = view.readUInt8(at + 1);
    if (startsFrame(marker)) return { width: view.readUInt16BE(at + 7), height: view.readUInt16BE(at + 5) };
    at += standsAlone(marker) ? 2 : 2 + view.readUInt16BE(at + 2);
  }
  return null;
}

/** Scales a size to at most `sideMax` per side, in proportion and with even sides, as encoders require. */
export function videoSize({ width, height }: VideoSize, sideMax: number): VideoSize {
  const scale = Math.min(1, sideMax / Math.max(width, height));
  const even = (side: number): number => Math.max(2, Math.floor((side * scale) / 2) * 2);
  return { width: even(width), height: even(height) };
}
