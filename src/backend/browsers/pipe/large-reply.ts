/** A reply that is so large that reading it and writing it again costs more than its way through the service. */
export interface LargeReply {
  /** The id under which the browser was asked. */
  readonly id: number;
  /** The whole reply as the browser wrote it. */
  readonly text: string;
}

/** Whose reply it is. */
export interface ReplyOwner {
  /** The id that the client gave its command; absent for a command without one. */
  readonly id: number | undefined;
  /** The session that the command was for. */
  readonly sessionId: string;
  /** Whether that is the client's root session, which has no name to it. */
  readonly isRoot: boolean;
}

/**
 * The reply as its client is to get it, with the client's own id, without being read: the browser writes the id first and the
 * session last. Null where this one is written in another way.
 */
export function relabelled({ text }: LargeReply, { id, sessionId, isRoot }: ReplyOwner): string | null {
  const start = text.indexOf(',');
  const tail = `,"sessionId":"${sessionId}"}`;
  if (id === undefined || start === -1 || !text.endsWith(tail)) return null;
  return `{"id":${id}${text.slice(start, -tail.length)}${isRoot ? '}' : tail}`;
}
