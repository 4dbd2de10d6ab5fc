import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';

/** Bytes of known size that are written to a store. */
export interface Incoming {
  /** Stream of exactly `size` bytes. A stream of another length throws before it has yielded `size` bytes. */
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly size: number;
}

/** A byte range with inclusive ends, counted from 0. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** A store for bytes outside the database. `newBlobKey` creates its keys. */
export interface Blobs {
  /** Returns the bytes of a key, or null for an unknown key. */
  get(key: string): Promise<Uint8Array | null>;
  /**
   * Stores a stream of bytes. When the promise resolves, the bytes are complete, and durable unless the store is in
   * memory. When it rejects, the bytes count as not stored.
   */
  write(key: string, incoming: Incoming): Promise<void>;
  /** Returns a stream of the bytes of a key, or of one range within these bytes; null for an unknown key. */
  read(key: string, range?: ByteRange): Promise<Readable | null>;
  /** Removes the bytes of a key; does nothing for an unknown key. */
  remove(key: string): Promise<void>;
}

const keyPattern = /^[0-9a-f-]{36}\.[a-z0-9]{1,5}$/;

/** Returns a new key. It contains nothing from a request, so it is safe as a file name. */
export function newBlobKey(extension: string): string {
  return `${randomUUID()}.${extension}`;
}

/** Returns whether a text has the format of a blob key. */
export function isBlobKey(text: string): boolean {
  return keyPattern.test(text);
}

/**
 * Thrown when a stream breaks, or is shorter or longer than announced. `found` is a text with the number of received
 * bytes.
 */
export class WrongLength extends Error {
  readonly found: string;

  constructor(found: string, options?: ErrorOptions) {
    super(`found ${found} bytes`, options);
    this.found = found;
  }
}

/**
 * Yields exactly `size` bytes of the source, or throws {@link WrongLength}. Holds back the last chunk until the source
 * ends, so that a store never receives all bytes of a rejected upload. A source that throws counts as too short.
 */
export async function* exactLength(source: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  let count = 0;
  let held: Uint8Array | undefined;
  for await (const piece of unbroken(source, () => count)) {
    // An empty chunk would release the held chunk too early.
    if (piece.length === 0) continue;
    count += piece.length;
    if (count > size) throw new WrongLength(`more than ${size}`);
    if (held !== undefined) yield held;
    held = piece;
  }
  if (count < size) throw new WrongLength(String(count));
  if (held !== undefined) yield held;
}

async function* unbroken(source: AsyncIterable<Uint8Array>, count: () => number): AsyncGenerator<Uint8Array> {
  try {
    yield* source;
  } catch (error) {
    throw new WrongLength(`only ${count()}, then the connection broke`, { cause: error });
  }
}
