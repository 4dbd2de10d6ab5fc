/** A mail in a list. */
export interface MailSummary {
  /** Its place in the mailbox, from 1; it stays the same. */
  readonly number: number;
  /** The address that it says it is from, which anybody can write. */
  readonly from: string;
  /** The name beside that address; '' for none. */
  readonly fromName: string;
  readonly subject: string;
  /** Milliseconds since the Unix epoch. */
  readonly receivedAt: number;
  /** Whether no task has waited for it or read it. */
  readonly isNew: boolean;
}

/** A link of a mail: what is shown for it, and its complete http or https address. */
export interface MailLink {
  readonly text: string;
  readonly url: string;
}

/** A file that came with a mail. Its bytes are not kept. */
export interface MailAttachment {
  readonly name: string;
  readonly contentType: string;
  /** Bytes. */
  readonly size: number;
}

/** A mail as an agent reads it. What it says is data, like the text of a page. */
export interface Mail extends MailSummary {
  /** What people see of it, without markup. */
  readonly text: string;
  readonly links: readonly MailLink[];
  /** What look like codes to be typed somewhere, the likeliest first, without blanks. */
  readonly codes: readonly string[];
  readonly attachments: readonly MailAttachment[];
}

/** Which mail is waited for; an absent member does not narrow. */
export interface MailWish {
  /** A part of the sender's name or address, in any case. */
  readonly from?: string;
  /** A part of the subject, in any case. */
  readonly subject?: string;
  /** Only mails that came after the one of this number. */
  readonly after?: number;
  /** How long to wait by the service's clock, in milliseconds; @defaultValue {@link MAIL_WAIT_MS} */
  readonly withinMs?: number;
}

/** How long is waited for a mail where nothing else was said: five minutes. */
export const MAIL_WAIT_MS = 300_000;

/** No mail came, there is no mailbox, or a mail does not hold what is wanted. The message is fit for a step summary. */
export class MailError extends Error {
  override readonly name = 'MailError';
}

/** The mailbox of a session, for its agent alone. Lives as long as the session. */
export interface Mailbox {
  /** Where mail can be sent to. */
  readonly address: string;
  /** All mails, oldest first. */
  list(): Promise<readonly MailSummary[]>;
  /** The newest new mail that fits, as soon as there is one; null when the time is over. It is not new any more. Rejects with the signal's reason. */
  wait(wish: MailWish, signal: AbortSignal): Promise<Mail | null>;
  /** Returns a mail and marks it as read; null for an unknown number. */
  read(number: number): Promise<Mail | null>;
}
