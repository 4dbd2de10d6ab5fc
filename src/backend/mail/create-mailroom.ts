import { liveStates } from '#domain/lifecycle.ts';
import type { RuleBook } from '#domain/rule-book.ts';
import type { Mailbox } from '../agent/mailbox.ts';
import type { Clock } from '../clock/clock.ts';
import { limitOf } from '../shared/limit-of.ts';
import type { Database } from '../storage/database.ts';
import { type BoxRules, findBox, storeMail } from '../storage/mails.ts';
import { createArrivals } from './arrivals.ts';
import { createMailbox } from './create-mailbox.ts';
import { newLocalPart } from './new-local-part.ts';
import { parseMail } from './parse-mail.ts';

/** What the mail of a service needs. */
export interface MailroomParts {
  readonly db: Database;
  readonly clock: Clock;
  readonly rules: RuleBook;
  /** The domain of every address, in small letters. */
  readonly domain: string;
}

/** A mail as it came in. */
export interface IncomingMail {
  /** Who the envelope names; '' for nobody. */
  readonly sender: string;
  readonly recipients: readonly string[];
  readonly raw: Uint8Array;
  /** A text as it may be shown of a session. */
  readonly shown: (sessionId: string, text: string) => string;
}

/** How a mailbox or a mail was met. */
export type Reception = 'taken' | 'unknown' | 'full';

/** Where mail of sessions is taken in, kept and read. */
export interface Mailroom {
  readonly domain: string;
  /** An address that nobody can guess and no session has had. */
  newAddress(): string;
  /** The mailbox of a session; null when it has none, or one of an earlier domain. */
  boxOf(session: { readonly id: string; readonly inbox_email: string | null }): Mailbox | null;
  /** Whether mail for an address would be taken. */
  accepts(address: string): Promise<Reception>;
  /** Stores a mail for all its recipients or for none; when it is taken, it is durable. Rejects with an `UnreadableMail`. */
  deliver(mail: IncomingMail): Promise<Reception>;
  /** How many wait for mail; for tests. */
  readonly waiting: number;
}

/** The mail of one service. Owns nothing that has to be closed. */
export function createMailroom({ db, clock, rules, domain }: MailroomParts): Mailroom {
  const arrivals = createArrivals();
  const boxRules: BoxRules = {
    living: liveStates(rules.lifecycle, 'session'),
    mailsMax: limitOf(rules, 'mailsPerSession'),
  };
  const bounds = { textMax: limitOf(rules, 'mailText'), linksMax: limitOf(rules, 'mailLinks') };
  const isOurs = (address: string): boolean => address.endsWith(`@${domain}`);
  return {
    domain,
    newAddress: () => `${newLocalPart()}@${domain}`,
    boxOf({ id: sessionId, inbox_email: address }) {
      if (address === null || !isOurs(address)) return null;
      return createMailbox({ db, clock, arrivals }, { sessionId, address });
    },
    async accepts(given) {
      const address = given.toLowerCase();
      const box = isOurs(address) ? await findBox(db, address, boxRules) : null;
      if (box === null) return 'unknown';
      return box.isFull ? 'full' : 'taken';
    },
    async deliver({ sender, recipients, raw, shown }) {
      const { from, fromName, subject, text, links, attachments } = await parseMail(raw, sender, bounds);
      const mail = {
        sender: from,
        sender_name: fromName,
        subject,
        text,
        links: JSON.stringify(links),
        attachments: JSON.stringify(attachments),
        received_at: clock.now(),
      };
      const told = (sessionId: string): string =>
        JSON.stringify({ from: shown(sessionId, from), subject: shown(sessionId, subject) });
      const addresses = [...new Set(recipients.map((address) => address.toLowerCase()))];
      const stored = await storeMail(db, { addresses, mail, rules: boxRules, told });
      if ('refused' in stored) return stored.refused;
      for (const sessionId of stored.sessionIds) arrivals.tell(sessionId);
      return 'taken';
    },
    get waiting() {
      return arrivals.watchers;
    },
  };
}
