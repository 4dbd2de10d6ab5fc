import type { MailPlace, MailServer, MailServerParts } from './start-mail-server.ts';

/** As `startMailServer` of `start-mail-server.ts`, which is loaded only where mail is taken: it brings a server of SMTP. */
export async function startMailServer(parts: MailServerParts, place: MailPlace): Promise<MailServer> {
  const server = await import('./start-mail-server.ts');
  return server.startMailServer(parts, place);
}
