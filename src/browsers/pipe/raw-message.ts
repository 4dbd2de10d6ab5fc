/** An unparsed message of the browser, with the fields read from its two ends. */
export interface RawMessage {
  /** The whole message as the browser wrote it, without the NUL. Valid until the call that offers it returns, unless `isOwn`. */
  readonly bytes: Buffer;
  /** Whether the bytes are in separate memory that the receiver may keep and modify. */
  readonly isOwn: boolean;
  /** Under which id the browser was asked; null for an event. */
  readonly id: number | null;
  /** The name of an event; null for a reply. */
  readonly method: string | null;
  /** The session that it is for. */
  readonly sessionId: string;
}

/** Whom a message is for. */
export interface Addressee {
  /** The id that the client gave its command; null for an event. */
  readonly id: number | null;
  /** Whether the session is the client's root session, which has no name to it. */
  readonly isRoot: boolean;
}

/** Chromium writes the id of a reply first. */
const REPLY_HEAD = /^\{"id":(\d{1,15}),/;
/** Target events are always parsed, because session ownership depends on them. */
const EVENT_HEAD = /^\{"method":"((?!Target\.)[A-Za-z]{1,40}\.[A-Za-z]{1,60})",/;
/** No head is longer. */
const HEAD_BYTES_MAX = 128;
/** Chromium writes the session last. A quotation mark inside a text has a backslash before it, so no text of a page can look like this. */
const TAIL = /^,"sessionId":"([0-9A-F]{32})"\}$/;
const TAIL_BYTES = 48;
const COMMA = 0x2c;
const CLOSING_BRACE = 0x7d;

/** What the ends of a message say of it; null where they have another form, or where it has to be read: a message of targets, or one of no session. */
export function rawMessageOf(bytes: Buffer, isOwn: boolean): RawMessage | null {
  const sessionId = TAIL.exec(bytes.toString('latin1', Math.max(bytes.length - TAIL_BYTES, 0)))?.[1];
  if (sessionId === undefined) return null;
  const start = bytes.toString('latin1', 0, HEAD_BYTES_MAX);
  const id = REPLY_HEAD.exec(start)?.[1];
  if (id !== undefined) return { bytes, isOwn, id: Number(id), method: null, sessionId };
  const method = EVENT_HEAD.exec(start)?.[1];
  return method === undefined ? null : { bytes, isOwn, id: null, method, sessionId };
}

/**
 * The message as its client is to get it, in memory of its own: what a client does not fetch must not keep alive what came together
 * with it. One that has such memory already stays there, if the new id finds room where the old one was.
 */
export function addressed({ bytes, isOwn, id: ours }: RawMessage, { id, isRoot }: Addressee): Buffer {
  const head = id === null ? '' : `{"id":${id}`;
  const from = ours === null ? 0 : bytes.indexOf(COMMA);
  const to = isRoot ? bytes.length - TAIL_BYTES : bytes.length;
  const written = isOwn && from >= head.length ? bytes.subarray(from - head.length) : copyOf(bytes, { from, to, head });
  const length = head.length + to - from;
  written.write(head, 'latin1');
  if (!isRoot) return written.subarray(0, length);
  written[length] = CLOSING_BRACE;
  return written.subarray(0, length + 1);
}

/** A part of the bytes, with room for the head before it and a brace behind. */
function copyOf(bytes: Buffer, part: { readonly from: number; readonly to: number; readonly head: string }): Buffer {
  const copy = Buffer.allocUnsafe(part.head.length + part.to - part.from + 1);
  bytes.copy(copy, part.head.length, part.from, part.to);
  return copy;
}
