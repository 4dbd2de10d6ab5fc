/** An unparsed message of the browser, with the fields read from its two ends. */
export interface RawMessage {
  /** The complete message without the NUL. Valid only during the call that offers it, unless `isOwn`. */
  readonly bytes: Buffer;
  /** Whether the bytes are in separate memory that the receiver may keep and modify. */
  readonly isOwn: boolean;
  /** Id of the command that a reply answers; null for an event. */
  readonly id: number | null;
  /** Name of an event; null for a reply. */
  readonly method: string | null;
  /** Session of the message. */
  readonly sessionId: string;
}

/** Addressee of a message. */
export interface Addressee {
  /** Id that the client gave its command; null for an event. */
  readonly id: number | null;
  /** Whether the session is the client's root session, whose messages have no session id. */
  readonly isRoot: boolean;
}

/** Beginning of a reply: Chromium writes the id first. */
const REPLY_HEAD = /^\{"id":(\d{1,15}),/;
/**
 * Beginning of an event that need not be parsed. Target events are always parsed, because session ownership depends on
 * them.
 */
const EVENT_HEAD = /^\{"method":"((?!Target\.)[A-Za-z]{1,40}\.[A-Za-z]{1,60})",/;
/** Maximum length of the beginning of a message that is read, in bytes. */
const HEAD_BYTES_MAX = 128;
/** Session at the end of a message. A quotation mark inside a string is escaped, so page text cannot match. */
const TAIL = /^,"sessionId":"([0-9A-F]{32})"\}$/;
const TAIL_BYTES = 48;
const COMMA = 0x2c;
const CLOSING_BRACE = 0x7d;

/**
 * Reads id or method and session of a message without parsing all of it. Returns null for messages that must be
 * parsed: target events, messages without a session, and unusual forms.
 */
export function getRawMessage(bytes: Buffer, isOwn: boolean): RawMessage | null {
  const sessionId = TAIL.exec(bytes.toString('latin1', Math.max(bytes.length - TAIL_BYTES, 0)))?.[1];
  if (sessionId === undefined) return null;
  const start = bytes.toString('latin1', 0, HEAD_BYTES_MAX);
  const id = REPLY_HEAD.exec(start)?.[1];
  if (id !== undefined) return { bytes, isOwn, id: Number(id), method: null, sessionId };
  const method = EVENT_HEAD.exec(start)?.[1];
  return method === undefined ? null : { bytes, isOwn, id: null, method, sessionId };
}

/**
 * Returns the message as its client receives it, in separate memory, so that an unread message does not keep a larger
 * buffer alive. A message with `isOwn` is changed in place when the new id fits.
 */
export function addressed({ bytes, isOwn, id: ours }: RawMessage, { id, isRoot }: Addressee): Buffer {
  const head = id === null ? '' : `{"id":${id}`;
  const from = ours === null ? 0 : bytes.indexOf(COMMA);
  const to = isRoot ? bytes.length - TAIL_BYTES : bytes.length;
  const written =
    isOwn && from >= head.length ? bytes.subarray(from - head.length) : copyPart(bytes, { from, to, head });
  const length = head.length + to - from;
  written.write(head, 'latin1');
  if (!isRoot) return written.subarray(0, length);
  written[length] = CLOSING_BRACE;
  return written.subarray(0, length + 1);
}

/** Copies a part of the bytes, with room for a head before it and a brace after it. */
function copyPart(bytes: Buffer, part: { readonly from: number; readonly to: number; readonly head: string }): Buffer {
  const copy = Buffer.allocUnsafe(part.head.length + part.to - part.from + 1);
  bytes.copy(copy, part.head.length, part.from, part.to);
  return copy;
}
