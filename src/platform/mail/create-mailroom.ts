import { liveStates } from '#contract/lifecycle.ts';
import { getLimit, type RuleBook } from '#contract/rule-book.ts';
import type { Mailbox } from '#agent/mailbox.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database } from '#store/database.ts';
import { type BoxRules, findBox, storeMail } from '#store/queries/mails.ts';
import { type JobFailure, createWorkerPool, poolLimits, workerAddress } from '#agent/workers/index.ts';
import { createArrivals, createMailbox } from './create-mailbox.ts';
import { type MailJob, type MailReading, type ParsedMail, mailLimits } from './parse-mail.ts';
import { randomBytes } from 'node:crypto';

/** What the mail of a service needs. */
export interface MailroomDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly rules: RuleBook;
  /** The domain of every address, in small letters. */
  readonly domain: string;
}

/** A mail as it came in. */
export interface IncomingMail {
  /** Envelope sender; '' for an empty one. */
  readonly sender: string;
  readonly recipients: readonly string[];
  readonly raw: Uint8Array;
  /** A text as it may be shown of a session. */
  readonly shown: (sessionId: string, text: string) => string;
}

/** How a mailbox or a mail was met: among others `unread` for a mail that could not be parsed now. */
export type Reception =
  | 'taken'
  | 'unknown'
  | 'full'
  | 'unread'
  /** A format that cannot be read; `reason` is for the log. */
  | { readonly kind: 'unreadable'; readonly reason: string }
  /** The limit that the mail exceeds, as "more than 100000 lines". */
  | { readonly kind: 'excess'; readonly excess: string };

/** Where mail of sessions is taken in, kept and read. */
export interface Mailroom {
  readonly domain: string;
  /** Returns a new unpredictable mailbox address. */
  newAddress(): string;
  /** The mailbox of a session; null when it has none, or one of an earlier domain. */
  boxOf(session: { readonly id: string; readonly inbox_email: string | null }): Mailbox | null;
  /** Whether mail for an address would be taken. */
  accepts(address: string): Promise<Reception>;
  /** Parses a mail in a worker process and stores it for all its recipients or for none; when it is taken, it is durable. */
  deliver(mail: IncomingMail): Promise<Reception>;
  /** How many wait for mail; for tests. */
  readonly waiting: number;
  /** Ends the worker processes. */
  close(): Promise<void>;
}

/** SMTP response for a mail whose parsing did not finish. */
const EXCESS = {
  time: { kind: 'excess', excess: 'more than can be read in the time for one message' },
  memory: { kind: 'excess', excess: 'more than can be read in the memory for one message' },
  busy: 'unread',
  closed: 'unread',
} as const satisfies Record<JobFailure, Reception>;

/** Creates the mail of one service. No worker process starts before the first mail. */
export function createMailroom({ db, clock, rules, domain }: MailroomDeps): Mailroom {
  const arrivals = createArrivals();
  const boxRules: BoxRules = {
    living: liveStates(rules.lifecycle, 'session'),
    mailsMax: getLimit(rules, 'mailsPerSession'),
  };
  const limits = mailLimits(rules);
  const pool = createWorkerPool<MailJob, MailReading>(workerAddress('mail-worker', import.meta.url), poolLimits(rules));

  /** The projects take turns: mails for one delay no other's. */
  async function read(projectId: string, raw: Uint8Array, sender: string): Promise<ParsedMail | Reception> {
    const result = await pool.run(projectId, { raw, sender, limits });
    if (!result.ok) return EXCESS[result.failure];
    return result.output.kind === 'read' ? result.output.mail : result.output;
  }

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
      const addresses = [...new Set(recipients.map((address) => address.toLowerCase()))];
      const first = await findBox(db, addresses[0] ?? '', boxRules);
      if (first === null) return 'unknown';
      const parsed = await read(first.projectId, raw, sender);
      if (typeof parsed === 'string' || 'kind' in parsed) return parsed;
      const { from, fromName, subject, text, links, attachments } = parsed;
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
      const stored = await storeMail(db, { addresses, mail, rules: boxRules, told });
      if ('refused' in stored) return stored.refused;
      for (const sessionId of stored.sessionIds) arrivals.tell(sessionId);
      return 'taken';
    },
    get waiting() {
      return arrivals.watchers;
    },
    close: () => pool.close(),
  };
}

/** Unambiguous letters and digits; 32 of them, so that five bits select one. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';

const LENGTH = 20;

/** The part of an address before the @: 100 random bits in 20 small letters and digits. */
function newLocalPart(): string {
  let part = '';
  for (const byte of randomBytes(LENGTH)) part += ALPHABET.charAt(byte % ALPHABET.length);
  return part;
}
