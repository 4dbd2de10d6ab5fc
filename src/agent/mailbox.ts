/** Summary of a mail in a list. */
export interface MailSummary {
  /** Permanent number of the mail in its mailbox, from 1. */
  readonly number: number;
  /** Sender address as stated by the mail, which is unverified. */
  readonly from: string;
  /** Display name of the sender; empty for none. */
  readonly fromName: string;
  readonly subject: string;
  /** Milliseconds since the Unix epoch. */
  readonly receivedAt: number;
  /** Whether no task has awaited or read the mail. */
  readonly isNew: boolean;
}

/** A link of a mail: its text and its absolute HTTP or HTTPS URL. */
export interface MailLink {
  readonly text: string;
  readonly url: string;
}

/** An attachment of a mail. Its bytes are not stored. */
export interface MailAttachment {
  readonly name: string;
  readonly contentType: string;
  /** Size in bytes. */
  readonly size: number;
}

/** A mail for an agent. Its contents are untrusted data, like the text of a page. */
export interface Mail extends MailSummary {
  /** Visible text without markup. */
  readonly text: string;
  readonly links: readonly MailLink[];
  /** Probable verification codes, the most probable first, without blanks. */
  readonly codes: readonly string[];
  readonly attachments: readonly MailAttachment[];
}

/** Filter for the mail that a task waits for; an absent member matches any mail. */
export interface MailWish {
  /** Part of the sender's name or address, ignoring case. */
  readonly from?: string;
  /** Part of the subject, ignoring case. */
  readonly subject?: string;
  /** Number of a mail; only mails with a higher number match. */
  readonly after?: number;
  /** Timeout by the service's clock, in milliseconds. @defaultValue {@link mailWaitMs} */
  readonly withinMs?: number;
}

/** Default timeout of waiting for a mail: five minutes. */
export const mailWaitMs = 300_000;

/**
 * Thrown when no mail arrived, no mailbox exists, or a mail lacks the requested content. The message is suitable for a
 * step summary.
 */
export class MailError extends Error {
  override readonly name = 'MailError';
}

/** The mailbox of a session, for its agent only. It exists as long as the session. */
export interface Mailbox {
  /** Mail address of the mailbox. */
  readonly address: string;
  /** Returns all mails, the oldest first. */
  list(): Promise<readonly MailSummary[]>;
  /**
   * Waits for a new mail that matches, and marks it as read. Returns the newest such mail; null at the timeout. Rejects
   * with the signal's reason.
   */
  wait(wish: MailWish, signal: AbortSignal): Promise<Mail | null>;
  /** Returns a mail and marks it as read; null for an unknown number. */
  read(number: number): Promise<Mail | null>;
}
