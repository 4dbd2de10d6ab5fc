/*
 * Mailboxes of sessions: an SMTP server accepts mail for living sessions, and their agents read it. The service starts
 * it, and the engine gives a task the mailbox of its session. It must not send or relay mail; mails are deleted when
 * their session ends.
 */

import type { MailPlace, MailServer, MailServerDeps } from './start-mail-server.ts';

export { type Mailroom, createMailroom } from './create-mailroom.ts';
export type { MailPlace, MailServer } from './start-mail-server.ts';

/** As `startMailServer` of `start-mail-server.ts`, which is loaded only where mail is taken: it brings a server of SMTP. */
export async function startMailServer(deps: MailServerDeps, place: MailPlace): Promise<MailServer> {
  const server = await import('./start-mail-server.ts');
  return server.startMailServer(deps, place);
}
