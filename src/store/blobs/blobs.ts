import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { withoutEnds } from '#lib/trim-end.ts';

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

const keyPattern = /^[0-9a-f-]{36}\.[a-z0-9]{1,5}$/;

/** A new key for bytes; nothing of a request is part of it, so that it is safe as a file name. */
export function newBlobKey(extension: string): string {
  return `${randomUUID()}.${extension}`;
}

/** Whether a text has the shape of a key of ours. */
export function isBlobKey(text: string): boolean {
  return keyPattern.test(text);
}

/** A bucket of an S3-compatible store. */
export interface S3Address {
  readonly bucket: string;
  /** Stands before every key; empty or ends in a slash. */
  readonly prefix: string;
  /** Address of the store, or null for the one of AWS. */
  readonly endpoint: string | null;
  readonly region: string;
}

/** A folder that every process of a service reaches. */
export interface BlobFolder {
  readonly folder: string;
}

/** Reads `file:///folder`; null for anything else. */
export function parseBlobFolder(text: string): BlobFolder | null {
  if (!URL.canParse(text)) return null;
  const { protocol, host, pathname, search } = new URL(text);
  return protocol === 'file:' && host === '' && search === '' && pathname !== '/'
    ? { folder: decodeURIComponent(pathname) }
    : null;
}

const s3Options = ['endpoint', 'region'];
const defaultRegion = 'us-east-1';

/**
 * Reads `s3://bucket/prefix?endpoint=https://host&region=eu-1`; prefix, endpoint and region may be left out. Null for
 * anything else: an unknown option would be a typo that changes where bytes go.
 */
export function parseS3Address(text: string): S3Address | null {
  if (!URL.canParse(text)) return null;
  const { protocol, hostname, port, pathname, searchParams, username, password } = new URL(text);
  const isKnown = [...searchParams.keys()].every((name) => s3Options.includes(name));
  const endpoint = searchParams.get('endpoint');
  if (protocol !== 's3:' || hostname === '' || !isKnown) return null;
  // Credentials have no place in an address, and a port belongs to the endpoint.
  if ([username, password, port].some((part) => part !== '')) return null;
  if (endpoint !== null && !isHttp(endpoint)) return null;
  const folder = withoutEnds(pathname, /\//);
  return {
    bucket: hostname,
    prefix: folder === '' ? '' : `${folder}/`,
    endpoint,
    region: searchParams.get('region') ?? defaultRegion,
  };
}

function isHttp(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** Bytes came to an end too early or too late; `found` is how many there were, as far as they were counted. */
export class WrongLength extends Error {
  readonly found: string;

  constructor(found: string, options?: ErrorOptions) {
    super(`found ${found} bytes`, options);
    this.found = found;
  }
}

/**
 * Hands on exactly `size` bytes, or throws {@link WrongLength}. The last piece is held back until it is known to be the last:
 * a store never gets all bytes of what is going to be refused. A source that breaks off counts as one that ended too early.
 */
export async function* exactly(source: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  let count = 0;
  let held: Uint8Array | undefined;
  for await (const piece of unbroken(source, () => count)) {
    // An empty piece would push the last one out before its time.
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
