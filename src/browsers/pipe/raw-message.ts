/** An unparsed message of the browser. Its id or method was read from its beginning, its session from its end. */
export interface RawMessage {
  /**
   * The complete message without the terminating NUL byte. Unless `isOwn` is true, valid only during the call that
   * passes it.
   */
  readonly bytes: Buffer;
  /** Whether the receiver may keep and modify `bytes`, because no other message shares their memory. */
  readonly isOwn: boolean;
  /** Id of the command that a reply answers; null for an event. */
  readonly id: number | null;
  /** Name of an event; null for a reply. */
  readonly method: string | null;
  /** DevTools session id of the message. */
  readonly sessionId: string;
}

/** Id and session with which a client expects a message. */
export interface Addressee {
  /** Id with which the client sent the command; null for an event. */
  readonly id: number | null;
  /**
   * Whether the message belongs to the client's root session. The client sees messages of this session without a
   * session id.
   */
  readonly isRoot: boolean;
}

/** Beginning of a reply: Chromium writes the id first. */
const replyHead = /^\{"id":(\d{1,15}),/;
/**
 * Beginning of an event that can be forwarded unparsed. Excludes target events, which show which client owns a session.
 */
const eventHead = /^\{"method":"((?!Target\.)[A-Za-z]{1,40}\.[A-Za-z]{1,60})",/;
/** Number of bytes at the beginning of a message in which its id or method is searched. */
const headBytesMax = 128;
/**
 * End of a message with a session id. Text of a page cannot match, because quotation marks inside a string are escaped.
 */
const tailPattern = /^,"sessionId":"([0-9A-F]{32})"\}$/;
const tailBytes = 48;
const comma = 0x2c;
const closingBrace = 0x7d;

/**
 * Reads the session and the id or method of a message without parsing the whole message. Returns null for messages that
 * must be parsed: target events, messages without a session, and unexpected forms.
 */
export function getRawMessage(bytes: Buffer, isOwn: boolean): RawMessage | null {
  const sessionId = tailPattern.exec(bytes.toString('latin1', Math.max(bytes.length - tailBytes, 0)))?.[1];
  if (sessionId === undefined) return null;
  const start = bytes.toString('latin1', 0, headBytesMax);
  const id = replyHead.exec(start)?.[1];
  if (id !== undefined) return { bytes, isOwn, id: Number(id), method: null, sessionId };
  const method = eventHead.exec(start)?.[1];
  return method === undefined ? null : { bytes, isOwn, id: null, method, sessionId };
}

/**
 * Returns a message with the id and session that its client expects. The result does not share memory with a larger
 * buffer, which it would keep alive. If `isOwn` is true and the new id fits, the message is changed in place.
 */
export function addressed({ bytes, isOwn, id: ours }: RawMessage, { id, isRoot }: Addressee): Buffer {
  const head = id === null ? '' : `{"id":${id}`;
  const from = ours === null ? 0 : bytes.indexOf(comma);
  const to = isRoot ? bytes.length - tailBytes : bytes.length;
  const written =
    isOwn && from >= head.length ? bytes.subarray(from - head.length) : copyPart(bytes, { from, to, head });
  const length = head.length + to - from;
  written.write(head, 'latin1');
  if (!isRoot) return written.subarray(0, length);
  written[length] = closingBrace;
  return written.subarray(0, length + 1);
}

/** Copies the bytes from `from` to `to` into a new buffer, with room for `head` before them and one byte after them. */
function copyPart(bytes: Buffer, part: { readonly from: number; readonly to: number; readonly head: string }): Buffer {
  const copy = Buffer.allocUnsafe(part.head.length + part.to - part.from + 1);
  bytes.copy(copy, part.head.length, part.from, part.to);
  return copy;
}
