import type { LivePicture } from '../host.ts';

/** The pictures on their way to one viewer. */
export interface PictureWindow {
  /** Sends a picture, or keeps it in place of the one that waits. */
  offer(picture: LivePicture): void;
  /** The picture of that number, and so every one before it, has been shown. */
  shown(number: number): void;
  /** Whether a picture would be sent at once. */
  hasRoom(): boolean;
}

/** Bytes before the JPEG: number of the picture (4), width (2) and height (2) of the page, big endian. */
const HEAD_BYTES = 8;
const SIDE_MAX = 0xffff;

/** A window of so many pictures: who shows them slowly gets fewer, and always the newest. */
export function createPictureWindow(unshownMax: number, send: (message: Uint8Array) => void): PictureWindow {
  let [lastSent, lastShown] = [0, 0];
  let waiting: LivePicture | null = null;
  const hasRoom = (): boolean => lastSent - lastShown < unshownMax;
  const flush = (): void => {
    if (waiting === null || !hasRoom()) return;
    lastSent += 1;
    send(messageOf(lastSent, waiting));
    waiting = null;
  };
  return {
    offer(picture) {
      waiting = picture;
      flush();
    },
    shown(number) {
      if (number > lastSent) return;
      lastShown = Math.max(lastShown, number);
      flush();
    },
    hasRoom,
  };
}

function messageOf(number: number, { jpeg, width, height }: LivePicture): Uint8Array {
  const message = Buffer.allocUnsafe(HEAD_BYTES + jpeg.length);
  message.writeUInt32BE(number, 0);
  message.writeUInt16BE(Math.min(width, SIDE_MAX), 4);
  message.writeUInt16BE(Math.min(height, SIDE_MAX), 6);
  message.set(jpeg, HEAD_BYTES);
  return message;
}
