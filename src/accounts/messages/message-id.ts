import { createHash } from 'node:crypto';

const eventBytes = 6;

/**
 * The identifier of the message that an event is: a uuid of version 8 (RFC 9562, custom) that begins with the event's id and
 * goes on with a hash of both, so that it never changes, need not be stored and leads back to the event.
 */
export function messageId(sessionId: string, eventId: number): string {
  const bytes = createHash('sha256').update(`${sessionId}/${eventId}`).digest().subarray(0, 16);
  bytes.writeUIntBE(eventId, 0, eventBytes);
  bytes[6] = 0x80 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** The event that a message of the session is, or null for an identifier that is none of this session. */
export function eventOfMessage(sessionId: string, id: string): number | null {
  const eventId = Number.parseInt(id.replaceAll('-', '').slice(0, eventBytes * 2), 16);
  return Number.isNaN(eventId) || messageId(sessionId, eventId) !== id.toLowerCase() ? null : eventId;
}
