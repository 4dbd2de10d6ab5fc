import type { Readable } from 'node:stream';

/** Bytes of a known number on their way into a store. */
export interface Incoming {
  /** Ends after exactly `size` bytes, or throws before the last of them. */
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly size: number;
}

/** A part of some bytes: from the first to the last of them, both included, counted from 0. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** Where bytes that do not belong in the database are kept, by keys of `newBlobKey`. */
export interface Blobs {
  /** The bytes of a key, or null when there are none. */
  get(key: string): Promise<Uint8Array | null>;
  /** Stores bytes as they come; when it resolves they are complete and durable, when it rejects nothing is kept. */
  write(key: string, incoming: Incoming): Promise<void>;
  /** The bytes of a key as a stream, all or a part of them that is there; null when there are none. */
  read(key: string, range?: ByteRange): Promise<Readable | null>;
  /** Removes the bytes of a key; without effect when there are none. */
  remove(key: string): Promise<void>;
}
