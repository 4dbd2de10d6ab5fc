import { createTransport, type SendMailOptions, type SentMessageInfo } from 'nodemailer';
import type { MailPlace } from '#platform/mail/start-mail-server.ts';

/** Sends a mail over a new connection; rejects with the server's refusal (`responseCode`). */
export async function sendMail({ host, port }: MailPlace, mail: SendMailOptions): Promise<SentMessageInfo> {
  const transport = createTransport({ host, port, ignoreTLS: true });
  try {
    return await transport.sendMail({ from: 'Shop <shop@example.com>', subject: 'Hello', text: 'Hi', ...mail });
  } finally {
    transport.close();
  }
}

/**
 * Returns the SMTP reply code with which the server refuses a mail; null if the server accepts the mail. Rejects for an
 * error without a reply code.
 */
export async function getMailRefusal(place: MailPlace, mail: SendMailOptions): Promise<number | null> {
  try {
    await sendMail(place, mail);
    return null;
  } catch (error) {
    if (error instanceof Error && 'responseCode' in error) return Number(error.responseCode);
    throw error;
  }
}
