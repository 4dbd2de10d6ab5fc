import { Buffer } from 'node:buffer';
import type { SMTPServerDataStream } from 'smtp-server';
import { SmtpReply } from './smtp-reply.ts';

/** The bytes of a mail. One that grows too large is read to its end, as the protocol wants it, but not kept. Throws an {@link SmtpReply}. */
export async function collectMail(stream: SMTPServerDataStream): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  try {
    for await (const piece of stream) {
      if (stream.sizeExceeded) pieces.length = 0;
      else if (piece instanceof Uint8Array) pieces.push(piece);
    }
  } catch (error) {
    // The sender went away: nobody reads the answer, and nothing is kept.
    throw new SmtpReply(451, `The message broke off: ${error instanceof Error ? error.message : 'no end was sent'}`);
  }
  if (stream.sizeExceeded) throw new SmtpReply(552, 'The message is too large');
  return Buffer.concat(pieces);
}
