import { type Mail, MAIL_WAIT_MS, type Mailbox, type MailSummary, type MailWish } from '#agent/mailbox.ts';
import type { Clock } from '#lib/clock.ts';
import { findMail, type MailHead, mailHeads, type MailRow, markRead } from '#store/queries/mails.ts';
import { codesIn } from './codes-in.ts';
import type { Database } from '#store/database.ts';

/** Dependencies of a mailbox. */
export interface MailboxDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly arrivals: Arrivals;
}

/** Creates the mailbox of a session. */
export function createMailbox(
  deps: MailboxDeps,
  { sessionId, address }: { readonly sessionId: string; readonly address: string },
): Mailbox {
  const { db, clock } = deps;
  return {
    address,
    list: async () => (await mailHeads(db, sessionId)).map(summarize),
    wait: (wish, signal) => wait(deps, { sessionId, wish }, signal),
    async read(number) {
      const row = await findMail(db, sessionId, number);
      if (row === undefined) return null;
      await markRead(db, row, clock.now());
      return toMail(row);
    },
  };
}

interface Waiting {
  readonly sessionId: string;
  readonly wish: MailWish;
}

async function wait(
  { db, clock, arrivals }: MailboxDeps,
  { sessionId, wish }: Waiting,
  signal: AbortSignal,
): Promise<Mail | null> {
  signal.throwIfAborted();
  const timeout = new AbortController();
  const cancel = clock.at(clock.now() + (wish.withinMs ?? MAIL_WAIT_MS), () => timeout.abort());
  const over = AbortSignal.any([signal, timeout.signal]);
  try {
    for (;;) {
      // Subscribed before the mailbox is read, so that no arrival is missed.
      const arrival = nextArrival(arrivals, sessionId, over);
      const heads = await mailHeads(db, sessionId);
      const wanted = heads.findLast((head) => head.read_at === null && fits(head, wish));
      const found = wanted && (await findMail(db, sessionId, wanted.number));
      if (found !== undefined) {
        arrival.forget();
        signal.throwIfAborted();
        await markRead(db, found, clock.now());
        return toMail(found);
      }
      await arrival.come;
      signal.throwIfAborted();
      if (timeout.signal.aborted) return null;
    }
  } finally {
    cancel();
  }
}

/** Resolves at the next arrival of mail, or when the session is over. */
function nextArrival(
  arrivals: Arrivals,
  sessionId: string,
  over: AbortSignal,
): { readonly come: Promise<void>; readonly forget: () => void } {
  const { promise: come, resolve } = Promise.withResolvers<void>();
  const unwatch = arrivals.watch(sessionId, () => forget());
  const forget = (): void => {
    unwatch();
    over.removeEventListener('abort', forget);
    resolve();
  };
  if (over.aborted) forget();
  else over.addEventListener('abort', forget, { once: true });
  return { come, forget };
}

function fits(row: MailHead, { from = '', subject = '', after = 0 }: MailWish): boolean {
  const holds = (text: string, part: string): boolean => text.toLowerCase().includes(part.trim().toLowerCase());
  return row.number > after && holds(`${row.sender_name} <${row.sender}>`, from) && holds(row.subject, subject);
}

function summarize(row: MailHead): MailSummary {
  return {
    number: row.number,
    from: row.sender,
    fromName: row.sender_name,
    subject: row.subject,
    receivedAt: row.received_at,
    isNew: row.read_at === null,
  };
}

function toMail(row: MailRow): Mail {
  // Written by this module with the same types.
  const links: Mail['links'] = JSON.parse(row.links);
  const attachments: Mail['attachments'] = JSON.parse(row.attachments);
  return { ...summarize(row), text: row.text, links, codes: codesIn(row.subject, row.text), attachments };
}

/** Notifies waiting tasks of this process that mail has arrived, by session. */
export interface Arrivals {
  /** Calls `action` at each arrival until the returned function is called. */
  watch(sessionId: string, action: () => void): () => void;
  tell(sessionId: string): void;
  /** Number of subscribers; for tests. */
  readonly watchers: number;
}

/** Creates an empty notifier. */
export function createArrivals(): Arrivals {
  const watchers = new Map<string, Set<() => void>>();
  return {
    watch(sessionId, action) {
      const sessionWatchers = watchers.get(sessionId) ?? new Set();
      watchers.set(sessionId, sessionWatchers.add(action));
      return () => {
        sessionWatchers.delete(action);
        if (sessionWatchers.size === 0 && watchers.get(sessionId) === sessionWatchers) watchers.delete(sessionId);
      };
    },
    tell: (sessionId) => watchers.get(sessionId)?.forEach((action) => action()),
    get watchers() {
      return [...watchers.values()].reduce((sum, own) => sum + own.size, 0);
    },
  };
}
