/*
 * Mailboxes of sessions: an SMTP server accepts mail for active sessions, and their agents read it. The service starts
 * it, and the engine gives a task the mailbox of its session. It must not send or relay mail; mails are deleted when
 * their session ends.
 */

import type { MailPlace, MailServer, MailServerDeps } from './start-mail-server.ts';

export { type Mailroom, createMailroom } from './create-mailroom.ts';
export type { MailPlace, MailServer } from './start-mail-server.ts';

/**
 * Loads `start-mail-server.ts` and starts the mail server. The module is loaded on demand, because it loads an SMTP
 * package.
 */
export async function startMailServer(deps: MailServerDeps, place: MailPlace): Promise<MailServer> {
  const server = await import('./start-mail-server.ts');
  return server.startMailServer(deps, place);
}
