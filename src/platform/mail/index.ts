/*
 * Mailboxes of sessions: an SMTP server takes mail for addresses of living sessions, keeps it with them, and their agents read it.
 * Called by the service (which listens and closes) and the engine (which gives a task the mailbox of its session).
 * Must not send mail, relay any, or keep what nobody can read: mails go when their session ends.
 */
export { type Mailroom, createMailroom } from './create-mailroom.ts';
export { startMailServer } from './load-mail-server.ts';
export type { MailPlace, MailServer } from './start-mail-server.ts';
