import { type Command, InvalidArgumentError } from 'commander';
import type { MailOptions } from '#api/create-backend.ts';
import { readPort } from '../read-port.ts';

/** What the flags about mail of `svc serve` are read to. */
export interface MailFlags {
  /** False for `--no-mail`. */
  readonly mail: boolean;
  readonly mailHost: string;
  readonly mailPort: number;
  readonly mailDomain: string;
}

/** Adds the flags that say where mail for sessions is taken. */
export function addMailFlags(command: Command): Command {
  return command
    .option('--mail-host <address>', 'address on which mail for the mailboxes of sessions is taken', '127.0.0.1')
    .option('--mail-port <number>', 'its port; 0 takes a free one', readPort, 0)
    .option(
      '--mail-domain <domain>',
      'domain of the addresses; mail from outside needs an MX record that leads here',
      domain,
      'inbox.localhost',
    )
    .option('--no-mail', 'take no mail and give no session a mailbox');
}

/** The options that those flags stand for; null for no mail. */
export function mailOptionsOf({ mail, mailHost, mailPort, mailDomain }: MailFlags): MailOptions | null {
  return mail ? { host: mailHost, port: mailPort, domain: mailDomain } : null;
}

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
// oxlint-disable-next-line svc/no-dynamic-pattern -- all parts are literals of this file
const domainForm = new RegExp(`^${label}(?:\\.${label})+$`);

function domain(text: string): string {
  const given = text.toLowerCase();
  if (domainForm.test(given) && given.length <= 200) return given;
  throw new InvalidArgumentError('Expected a domain such as mail.example.com.');
}
