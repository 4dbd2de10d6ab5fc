import type { FileHandle } from 'node:fs/promises';
import type { EncodedFrame } from '#browsers/host.ts';

/** A video file that is written by appending; the appended part can always be played. */
export interface WebmWriter {
  readonly size: VideoSize;
  /** Returns the time of the last picture in milliseconds, or null before the first picture. */
  lastMs(): number | null;
  /** Returns the length of the file in bytes. */
  bytes(): number;
  /**
   * Writes a picture. Rejects with a RangeError unless the picture is later than the previous picture. The first
   * picture after opening the file must be a key frame.
   */
  append(frame: EncodedFrame): Promise<void>;
  close(): Promise<void>;
}

/**
 * Writes the length of a finished cluster into the header of the cluster. `at` and `end` are byte offsets of the
 * beginning and the end of the cluster in the file.
 */
export async function closeCluster(file: FileHandle, { at }: { readonly at: number }, end: number): Promise<void> {
  const size = wideSize(end - at - clusterHeadLength + clusterTimeLength);
  await file.write(size, 0, size.length, at + clusterSizeAt);
}

/** Size of an element of unknown length: it extends to the next element of its own level. */
export const unknownSize = Buffer.from('01ffffffffffffff', 'hex');

/** Encodes an EBML size in eight bytes, so that any later size can overwrite it. */
function wideSize(size: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE((1n << 56n) | BigInt(size));
  return bytes;
}

/** Returns an EBML element (RFC 8794): its id, its size and content below 268 MB. */
function element(id: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([idBytes(id), encodeSize(body.length), body]);
}

/** Returns an EBML element with an integer of `width` bytes, 1 to 6 included. */
function uint(id: number, value: number, width: number): Buffer {
  const bytes = Buffer.alloc(width);
  bytes.writeUIntBE(value, 0, width);
  return element(id, bytes);
}

/** Returns an EBML element with a 64-bit floating-point number. */
function double(id: number, value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return element(id, bytes);
}

/** Returns an EBML element with a text. */
function text(id: number, value: string): Buffer {
  return element(id, Buffer.from(value));
}

/** Returns a Void element of `length` bytes, 2 to 128 included, as padding. */
function nothing(length: number): Buffer {
  return element(0xec, Buffer.alloc(length - 2));
}

/** Returns the bytes of an id, whose first bits state its length. */
function idBytes(id: number): Buffer {
  const hex = id.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
}

function encodeSize(size: number): Buffer {
  if (size < 0x7f) return Buffer.from([0x80 | size]);
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(0x1000_0000 + size);
  return bytes;
}

/** Width and height of a video in pixels, 1 to 65,535 included. */
export interface VideoSize {
  readonly width: number;
  readonly height: number;
}

/** Size and duration of a complete video. */
export interface VideoEnd {
  readonly durationMs: number;
  /** Position of the index in the file, in bytes. */
  readonly cuesAt: number;
  /** Length of the file in bytes. */
  readonly bytes: number;
}

const millisecond = 1_000_000;

const durationLength = 11;

const seekLength = 30;

const ebmlHead = element(
  0x1a45dfa3,
  uint(0x4286, 1, 1),
  uint(0x42f7, 1, 1),
  uint(0x42f2, 4, 1),
  uint(0x42f3, 8, 1),
  text(0x4282, 'webm'),
  uint(0x4287, 4, 1),
  uint(0x4285, 2, 1),
);

const segmentId = idBytes(0x18538067);

const segmentContent = ebmlHead.length + segmentId.length + unknownSize.length;

/**
 * Returns the head of a WebM file (RFC 9559) with one VP8 track. All heads have the same length, so that the final head
 * can overwrite the first head, in which unknown values are empty.
 */
export function webmHead({ width, height }: VideoSize, end: VideoEnd | null): Buffer {
  const video = element(0xe0, uint(0xb0, width, 2), uint(0xba, height, 2));
  const track = [uint(0xd7, 1, 1), uint(0x73c5, 1, 1), uint(0x83, 1, 1), uint(0x9c, 0, 1), text(0x86, 'V_VP8'), video];
  const duration = end === null ? nothing(durationLength) : double(0x4489, end.durationMs);
  const maker = [text(0x4d80, 'svc'), text(0x5741, 'svc')];
  return Buffer.concat([
    ebmlHead,
    segmentId,
    end === null ? unknownSize : wideSize(end.bytes - segmentContent),
    end === null ? nothing(seekLength) : seekHead(end.cuesAt - segmentContent),
    element(0x1549a966, uint(0x2ad7b1, millisecond, 3), ...maker, duration),
    element(0x1654ae6b, element(0xae, ...track)),
  ]);
}

/**
 * Returns the SeekHead element, by which a player finds the index after the pictures. Positions count from the start of
 * the segment's content.
 */
function seekHead(cuesPosition: number): Buffer {
  const seek = element(0x4dbb, element(0x53ab, idBytes(cuesId)), uint(0x53ac, cuesPosition, 6));
  return Buffer.concat([element(0x114d9b74, seek), nothing(seekLength - 5 - seek.length)]);
}

const cuesId = 0x1c53bb6b;

/** Returns the index of positions for seeking. */
export function webmCues(clusters: readonly { readonly at: number; readonly timeMs: number }[]): Buffer {
  const points = clusters.map(({ at, timeMs }) => {
    const place = element(0xb7, uint(0xf7, 1, 1), uint(0xf1, at - segmentContent, 6));
    return element(0xbb, uint(0xb3, timeMs, 6), place);
  });
  return element(cuesId, ...points);
}

/** Length of the head of every WebM file that this module writes, in bytes. */
export const headLength = webmHead({ width: 1, height: 1 }, null).length;

/** Returns width and height from the head of a WebM file; null for other bytes. */
export function sizeInHead(head: Buffer): VideoSize | null {
  if (head.length < headLength) return null;
  // Width and height are the last two elements of the head, with two bytes each.
  const size = { width: head.readUInt16BE(headLength - 6), height: head.readUInt16BE(headLength - 2) };
  const expected = webmHead(size, null);
  return head.subarray(0, ebmlHead.length).equals(expected.subarray(0, ebmlHead.length)) ? size : null;
}

export const clusterId = idBytes(0x1f43b675);

export const timeStart = Buffer.from([0xe7, 0x86]);

export const blockId = 0xa3;

/** Length of the head of a cluster with its time, in bytes. */
export const clusterHeadLength = clusterId.length + unknownSize.length + timeStart.length + 6;

/** Offset of a cluster's size from the start of the cluster, in bytes. */
const clusterSizeAt = clusterId.length;

/** Bytes of a cluster's head that count in the cluster's size. */
const clusterTimeLength = timeStart.length + 6;

/** Length of the block head before the bytes of a picture, in bytes. */
export const blockHeadLength = 9;

/**
 * Parses a cluster header: its time and content length, null while the cluster is open. Returns null for other bytes.
 */
export function readClusterHead(bytes: Buffer): { timeMs: number; contentLength: number | null } | null {
  if (bytes.length < clusterHeadLength || !bytes.subarray(0, clusterId.length).equals(clusterId)) return null;
  const size = bytes.subarray(clusterSizeAt, clusterSizeAt + unknownSize.length);
  const timeMs = bytes.readUIntBE(clusterHeadLength - 6, 6);
  return { timeMs, contentLength: size.equals(unknownSize) ? null : size.readUIntBE(2, 6) - clusterTimeLength };
}

/** Parses a frame header: its time offset and length. Null for other bytes. */
export function readBlockHead(bytes: Buffer): { offsetMs: number; length: number } | null {
  if (bytes.length < blockHeadLength || bytes.readUInt8(0) !== blockId) return null;
  return { offsetMs: bytes.readInt16BE(6), length: bytes.readUInt32BE(1) - 0x1000_0000 - 4 };
}
