/*
 * Mailboxes of sessions: an SMTP server takes mail for addresses of living sessions, keeps it with them, and their agents read it.
 * Called by the service (which listens and closes) and the engine (which gives a task the mailbox of its session).
 * Must not send mail, relay any, or keep what nobody can read: mails go when their session ends.
 */

import type { MailPlace, MailServer, MailServerDeps } from './start-mail-server.ts';

export { type Mailroom, createMailroom } from './create-mailroom.ts';
export type { MailPlace, MailServer } from './start-mail-server.ts';

/** As `startMailServer` of `start-mail-server.ts`, which is loaded only where mail is taken: it brings a server of SMTP. */
export async function startMailServer(deps: MailServerDeps, place: MailPlace): Promise<MailServer> {
  const server = await import('./start-mail-server.ts');
  return server.startMailServer(deps, place);
}
