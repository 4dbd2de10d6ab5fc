import type { ByteRange } from '#store/blobs/blobs.ts';

/** A part of something, nothing in particular, or a part that is not there. */
export type AskedRange = ByteRange | null | 'unsatisfiable';

/**
 * The part of `size` bytes that a Range header asks for (RFC 9110, 14.2): null when it is to be ignored, because there is none, it asks
 * for several parts, or it is malformed; 'unsatisfiable' when no byte of it is there.
 */
export function byteRange(header: string | undefined, size: number): AskedRange {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (from !== '') return between(Number(from), to === '' ? size - 1 : Number(to), size);
  return to === '' ? null : lastOf(Number(to), size);
}

function between(first: number, last: number, size: number): AskedRange {
  if (first >= size) return 'unsatisfiable';
  return last < first ? null : { first, last: Math.min(last, size - 1) };
}

function lastOf(length: number, size: number): AskedRange {
  return length === 0 || size === 0 ? 'unsatisfiable' : { first: Math.max(size - length, 0), last: size - 1 };
}
