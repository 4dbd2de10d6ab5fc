import { UNKNOWN_SIZE, double, element, idBytes, nothing, text, uint, wideSize } from './ebml.ts';

/** Width and height of a video in pixels, 1 to 65,535 included. */
export interface VideoSize {
  readonly width: number;
  readonly height: number;
}

/** What is known of a video when it is complete. */
export interface VideoEnd {
  readonly durationMs: number;
  /** Place of its index in the file, in bytes. */
  readonly cuesAt: number;
  /** Length of the file in bytes. */
  readonly bytes: number;
}

const MILLISECOND = 1_000_000;
const DURATION_LENGTH = 11;
const SEEK_LENGTH = 30;

const EBML = element(
  0x1a45dfa3,
  uint(0x4286, 1, 1),
  uint(0x42f7, 1, 1),
  uint(0x42f2, 4, 1),
  uint(0x42f3, 8, 1),
  text(0x4282, 'webm'),
  uint(0x4287, 4, 1),
  uint(0x4285, 2, 1),
);
const SEGMENT = idBytes(0x18538067);
const SEGMENT_CONTENT = EBML.length + SEGMENT.length + UNKNOWN_SIZE.length;

/**
 * Everything of a WebM file (RFC 9559) before its pictures: one track of VP8. Always of the same length, so that the head of a
 * video that has ended can be written over the one that it began with; before that the places of what is not known are empty.
 */
export function webmHead({ width, height }: VideoSize, end: VideoEnd | null): Buffer {
  const video = element(0xe0, uint(0xb0, width, 2), uint(0xba, height, 2));
  const track = [uint(0xd7, 1, 1), uint(0x73c5, 1, 1), uint(0x83, 1, 1), uint(0x9c, 0, 1), text(0x86, 'V_VP8'), video];
  const duration = end === null ? nothing(DURATION_LENGTH) : double(0x4489, end.durationMs);
  const maker = [text(0x4d80, 'svc'), text(0x5741, 'svc')];
  return Buffer.concat([
    EBML,
    SEGMENT,
    end === null ? UNKNOWN_SIZE : wideSize(end.bytes - SEGMENT_CONTENT),
    end === null ? nothing(SEEK_LENGTH) : seekHead(end.cuesAt - SEGMENT_CONTENT),
    element(0x1549a966, uint(0x2ad7b1, MILLISECOND, 3), ...maker, duration),
    element(0x1654ae6b, element(0xae, ...track)),
  ]);
}

/** Leads a player to the index, which stands behind the pictures; places count from the segment's content. */
function seekHead(cuesPosition: number): Buffer {
  const seek = element(0x4dbb, element(0x53ab, idBytes(CUES)), uint(0x53ac, cuesPosition, 6));
  return Buffer.concat([element(0x114d9b74, seek), nothing(SEEK_LENGTH - 5 - seek.length)]);
}

const CUES = 0x1c53bb6b;

/** The index: where the video can be entered. */
export function webmCues(clusters: readonly { readonly at: number; readonly timeMs: number }[]): Buffer {
  const points = clusters.map(({ at, timeMs }) => {
    const place = element(0xb7, uint(0xf7, 1, 1), uint(0xf1, at - SEGMENT_CONTENT, 6));
    return element(0xbb, uint(0xb3, timeMs, 6), place);
  });
  return element(CUES, ...points);
}

/** Length of every head, in bytes. */
export const HEAD_LENGTH = webmHead({ width: 1, height: 1 }, null).length;

/** The size that a head of ours tells; null when it is none. */
export function sizeInHead(head: Buffer): VideoSize | null {
  if (head.length < HEAD_LENGTH) return null;
  // The last two elements of the head, which are of two bytes each.
  const size = { width: head.readUInt16BE(HEAD_LENGTH - 6), height: head.readUInt16BE(HEAD_LENGTH - 2) };
  const expected = webmHead(size, null);
  return head.subarray(0, EBML.length).equals(expected.subarray(0, EBML.length)) ? size : null;
}
