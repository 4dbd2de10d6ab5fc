import { Buffer } from 'node:buffer';
import type { SMTPServerDataStream } from 'smtp-server';
import { SmtpReply } from './smtp-reply.ts';

/** Room for the bytes of all mails that are received at the same time. */
export interface MailRoom {
  /** Takes room, or answers false when there is not enough. */
  take(bytes: number): boolean;
  free(bytes: number): void;
}

/** Creates the room. */
export function createMailRoom(bytesMax: number): MailRoom {
  let left = bytesMax;
  return {
    take(bytes) {
      if (bytes > left) return false;
      left -= bytes;
      return true;
    },
    free(bytes) {
      left += bytes;
    },
  };
}

/**
 * Collects the bytes of a mail and uses them, with room taken for as long as that takes. A mail that grows too large, or has no room, is read
 * to its end, as the protocol wants it, but not kept. Rejects with an {@link SmtpReply}.
 */
export async function withMail<Result>(
  stream: SMTPServerDataStream,
  room: MailRoom,
  use: (raw: Uint8Array) => Promise<Result>,
): Promise<Result> {
  const pieces: Uint8Array[] = [];
  let taken = 0;
  const keep = (piece: Uint8Array): boolean => {
    if (stream.sizeExceeded || !room.take(piece.byteLength)) return false;
    taken += piece.byteLength;
    pieces.push(piece);
    return true;
  };
  try {
    const isWhole = await collect(stream, keep);
    if (stream.sizeExceeded) throw new SmtpReply(552, 'The message is too large');
    if (!isWhole) throw new SmtpReply(452, 'Too many messages are being received, try again');
    return await use(Buffer.concat(pieces.splice(0)));
  } finally {
    room.free(taken);
  }
}

/** Answers whether every piece was kept. */
async function collect(stream: SMTPServerDataStream, keep: (piece: Uint8Array) => boolean): Promise<boolean> {
  let isWhole = true;
  try {
    for await (const piece of stream) if (isWhole && piece instanceof Uint8Array) isWhole = keep(piece);
    return isWhole;
  } catch (error) {
    // The sender went away and reads no answer; nothing is kept.
    throw new SmtpReply(451, `The message broke off: ${error instanceof Error ? error.message : 'no end was sent'}`);
  }
}
