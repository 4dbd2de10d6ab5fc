import type { VideoSize } from './webm/webm-head.ts';

/** Markers that are followed by no length: they stand alone. */
const standsAlone = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd9);

/** Start-of-frame markers; between them stand those of tables, extensions and arithmetic conditioning. */
const startsFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

/** Width and height of a JPEG in pixels, or null when the bytes are none. Reads its segments' heads only. */
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
