import { liveStates } from '#contract/lifecycle.ts';
import { getLimit, type RuleBook } from '#contract/rule-book.ts';
import type { Mailbox } from '#agent/mailbox.ts';
import type { Clock } from '#lib/clock.ts';
import { type BoxRules, findBox, storeMail } from '#store/queries/mails.ts';
import { type JobFailure, createWorkerPool, poolLimits } from '#agent/workers/worker-pool.ts';
import { workerAddress } from '#agent/workers/worker-process.ts';
import { createArrivals, createMailbox } from './create-mailbox.ts';
import { type MailJob, type MailReading, type ParsedMail, mailLimits } from './parse-mail.ts';
import { randomBytes } from 'node:crypto';
import type { Database } from '#store/database.ts';

/** Dependencies of {@link createMailroom}. */
export interface MailroomDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly rules: RuleBook;
  /** Domain of all mailbox addresses, in lower case. */
  readonly domain: string;
}

/** A received mail. */
export interface IncomingMail {
  /** Envelope sender; '' for an empty one. */
  readonly sender: string;
  readonly recipients: readonly string[];
  readonly raw: Uint8Array;
  /** Redacts secrets of a session in a text. */
  readonly shown: (sessionId: string, text: string) => string;
}

/**
 * Result of a delivery or of the check of a recipient. `unread` means that the mail could not be parsed at this time.
 */
export type Reception =
  | 'taken'
  | 'unknown'
  | 'full'
  | 'unread'
  /** The mail has an unsupported format; `reason` is for the log. */
  | { readonly kind: 'unreadable'; readonly reason: string }
  /** The mail exceeds a limit, such as "more than 100000 lines". */
  | { readonly kind: 'excess'; readonly excess: string };

/** The component that receives, stores and returns the mails of sessions. */
export interface Mailroom {
  readonly domain: string;
  /** Returns a new unpredictable mailbox address. */
  newAddress(): string;
  /**
   * Returns the mailbox of a session; null for a session without an address, and for an address of an earlier domain.
   */
  findMailbox(session: { readonly id: string; readonly inboxEmail: string | null }): Mailbox | null;
  /** Returns `taken` if mail to an address would be accepted, else `unknown` or `full`. */
  accepts(address: string): Promise<Reception>;
  /** Parses a mail in a worker process and stores it for all its recipients or for none. Accepted mail is durable. */
  deliver(mail: IncomingMail): Promise<Reception>;
  /** Number of tasks that wait for mail; for tests. */
  readonly waiting: number;
  /** Stops the worker processes. */
  close(): Promise<void>;
}

/** Results of a delivery whose mail could not be parsed, by the failure of the parsing job. */
const excess = {
  time: { kind: 'excess', excess: 'more than can be read in the time for one message' },
  memory: { kind: 'excess', excess: 'more than can be read in the memory for one message' },
  busy: 'unread',
  closed: 'unread',
} as const satisfies Record<JobFailure, Reception>;

/** Creates the mail storage of a service. Worker processes for parsing start with the first mail. */
export function createMailroom({ db, clock, rules, domain }: MailroomDeps): Mailroom {
  const arrivals = createArrivals();
  const boxRules: BoxRules = {
    living: liveStates(rules.lifecycle),
    mailsMax: getLimit(rules, 'mailsPerSession'),
  };
  const limits = mailLimits(rules);
  const pool = createWorkerPool<MailJob, MailReading>(workerAddress('mail-worker', import.meta.url), poolLimits(rules));

  /**
   * Parses a mail in a worker process, or returns why it could not be parsed. Projects take turns, so that mail of one
   * project does not delay mail of others.
   */
  async function read(projectId: string, raw: Uint8Array, sender: string): Promise<ParsedMail | Reception> {
    const result = await pool.run(projectId, { raw, sender, limits });
    if (!result.ok) return excess[result.failure];
    return result.output.kind === 'read' ? result.output.mail : result.output;
  }

  const isOurs = (address: string): boolean => address.endsWith(`@${domain}`);
  return {
    domain,
    newAddress: () => `${newLocalPart()}@${domain}`,
    findMailbox({ id: sessionId, inboxEmail: address }) {
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
        senderName: fromName,
        subject,
        text,
        links: JSON.stringify(links),
        attachments: JSON.stringify(attachments),
        receivedAt: clock.now(),
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

/** 32 unambiguous letters and digits, so that five bits select one. */
const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789';

const length = 20;

/** Returns the part of an address before the @: 100 random bits as 20 letters and digits. */
function newLocalPart(): string {
  let part = '';
  for (const byte of randomBytes(length)) part += alphabet.charAt(byte % alphabet.length);
  return part;
}
