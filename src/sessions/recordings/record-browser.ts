import type { FrameEncoder, FrameSize, HostedBrowser, LiveSeat } from '#browsers/host.ts';
import { within } from '#browsers/within.ts';
import type { HostLog } from '#browsers/host-log.ts';
import type { RecordingBounds } from './keep-recording.ts';
import type { VideoSize, WebmWriter } from './webm-writer.ts';
import { openWebm } from './webm-reader.ts';

/** Dependencies of recording one browser. */
export interface BrowserRecording extends GrowingVideoDeps {
  readonly browser: HostedBrowser;
  /** Returns false once pictures of the browser must not be stored any more. */
  readonly mayShow: () => boolean;
  /** Resolves when recording must stop. */
  readonly stopped: Promise<void>;
}

/** Maximum time that a stopping recording waits for its last picture, in milliseconds. */
const lastPictureMs = 2_000;

/**
 * Records a browser until it ends, recording stops, a limit is reached, or viewing is not allowed any more. Resolves
 * when the file is complete; rejects when the browser cannot be watched.
 */
export async function recordBrowser(parts: BrowserRecording): Promise<void> {
  const { browser, mayShow, stopped, ...video } = parts;
  const over = Promise.withResolvers<void>();
  const now = (): number => performance.now();
  const recorder = createFrameRecorder({ ...video, now, onFull: () => over.resolve() });
  const take = (jpeg: Uint8Array): void => (mayShow() ? recorder.push(jpeg) : over.resolve());
  let leave: (() => Promise<void>) | null = null;
  try {
    leave = await watchPictures(browser, { take, intervalMs: video.bounds.frameIntervalMs });
    const wanted = Promise.race([over.promise, browser.ended]).then(() => false);
    if (await Promise.race([wanted, stopped.then(() => true)])) await takeLast(parts, take);
  } finally {
    await recorder.end();
    await leave?.();
  }
}

/**
 * Takes a last picture at the end of a recording, because the picture of a change arrives a moment after the change.
 */
async function takeLast({ browser, log }: BrowserRecording, take: (jpeg: Uint8Array) => void): Promise<void> {
  const picture = within(lastPictureMs, browser.screenshot(), 'The page gave no last picture within 2 s.');
  const [last] = await Promise.allSettled([picture]);
  if (last.status === 'fulfilled') take(last.value);
  else log.info({ err: last.reason }, 'a recording ends without a last picture');
}

/** Receiver of screenshots. */
interface PictureTaker {
  /** Receives a JPEG of the tab in front, now and whenever the tab changes. */
  take(jpeg: Uint8Array): void;
  /** Minimum time between two useful pictures, in milliseconds. */
  readonly intervalMs: number;
}

/**
 * Sends the pictures of a browser to a receiver until the returned function is called; rejects when the browser has
 * ended.
 */
async function watchPictures(browser: HostedBrowser, taker: PictureTaker): Promise<() => Promise<void>> {
  let known: LiveSeat | null = null;
  let timer: NodeJS.Timeout | null = null;
  const rested = (): void => {
    timer = null;
    known?.wanted();
  };
  const seat = await browser.watch({
    picture({ jpeg }) {
      taker.take(jpeg);
      timer ??= setTimeout(rested, taker.intervalMs);
    },
    wantsPicture: () => timer === null,
    scene: () => undefined,
    answersDialogs: false,
  });
  known = seat;
  return async () => {
    if (timer !== null) clearTimeout(timer);
    await seat.leave();
  };
}

/** Dependencies of a frame recorder. */
export interface FrameRecorderDeps extends GrowingVideoDeps {
  /** Returns milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** Called once when no further picture is accepted: a limit is reached, or the video cannot continue. */
  readonly onFull: () => void;
}

/** Recorder that encodes pictures to a video. Under load it drops pictures, but never the latest picture. */
export interface FrameRecorder {
  /** Adds a JPEG that is shown from now on. */
  push(jpeg: Uint8Array): void;
  /** Accepts no further pictures. Settles when the last picture is written with its duration. Never rejects. */
  end(): Promise<void>;
}

/**
 * Creates a frame recorder. It records pictures at their own times, so that an unchanged page costs nothing. It encodes
 * one picture at a time and keeps only the latest pending picture, so its memory is bounded.
 */
export function createFrameRecorder(deps: FrameRecorderDeps): FrameRecorder {
  const { bounds, now, log } = deps;
  const video = createGrowingVideo(deps);
  let waiting: Picture | null = null;
  let last: Picture | null = null;
  let working: Promise<void> | null = null;
  let timer: NodeJS.Timeout | null = null;
  let nextAt = Number.NEGATIVE_INFINITY;
  let isOver = false;

  const stop = (): void => {
    if (isOver) return;
    isOver = true;
    deps.onFull();
  };
  const add = async (picture: Picture): Promise<void> => {
    try {
      const room = await video.add(picture);
      last = picture;
      if (!room) stop();
    } catch (error) {
      log.warn({ err: error, file: deps.file }, 'a recording ends here: it could not go on');
      stop();
    }
  };
  const work = (): void => {
    timer = null;
    const picture = waiting;
    if (picture === null) return;
    waiting = null;
    nextAt = now() + bounds.frameIntervalMs;
    working = add(picture).finally(() => {
      working = null;
      plan();
    });
  };
  const plan = (): void => {
    if (isOver || waiting === null || timer !== null || working !== null) return;
    timer = setTimeout(work, Math.max(0, nextAt - now()));
  };
  return {
    push(jpeg) {
      if (isOver) return;
      waiting = { jpeg, at: now() };
      plan();
    },
    async end() {
      const wasOver = isOver;
      isOver = true;
      if (timer !== null) clearTimeout(timer);
      await working;
      if (!wasOver && waiting !== null) await add(waiting);
      // A video ends at its last picture, so the current picture is added once more at the end.
      if (!wasOver && last !== null) await add({ jpeg: last.jpeg, at: now() });
      await video.close();
    },
  };
}

/** A JPEG with its time in milliseconds of a monotonic clock. */
interface Picture {
  readonly jpeg: Uint8Array;
  readonly at: number;
}

/** Options of a growing video. */
interface GrowingVideoDeps {
  /** Absolute path; an existing video is continued. */
  readonly file: string;
  readonly openEncoder: (size: FrameSize) => Promise<FrameEncoder>;
  readonly bounds: RecordingBounds;
  readonly log: HostLog;
}

/** A video file that frames are appended to. */
interface GrowingVideo {
  /** Appends a picture; false when the video is full afterwards. Rejects when the video cannot continue. */
  add(picture: Picture): Promise<boolean>;
  /** Ends the encoder and closes the file. Never rejects. */
  close(): Promise<void>;
}

/** Maximum number of encoders per video, because a failed encoder is replaced. */
const encodersMax = 4;

/**
 * Creates a video that opens its file and encoder on demand. A new video has the size of its first picture, scaled to
 * the limit `sideMax`.
 */
function createGrowingVideo({ file, openEncoder, bounds, log }: GrowingVideoDeps): GrowingVideo {
  let writer: WebmWriter | null = null;
  let encoder: FrameEncoder | null = null;
  let encoders = 0;
  let began: { readonly at: number; readonly timeMs: number } | null = null;
  let keyAtMs = 0;

  const computeTime = (picture: Picture, lastMs: number | null): number => {
    // The time between two processes of a browser is not part of the video.
    began ??= { at: picture.at, timeMs: lastMs === null ? 0 : lastMs + bounds.frameIntervalMs };
    const timeMs = began.timeMs + Math.round(picture.at - began.at);
    return lastMs === null ? timeMs : Math.max(timeMs, lastMs + 1);
  };
  const encode = async (picture: Picture, to: WebmWriter): Promise<void> => {
    const timeMs = computeTime(picture, to.lastMs());
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

/** Returns whether a JPEG marker starts a frame. Markers of tables and extensions in the same range do not. */
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
