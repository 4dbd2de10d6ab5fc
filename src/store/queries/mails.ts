import type { Insertable, Selectable } from 'kysely';
import type { SessionStatus } from '#generated/states.ts';
import type { Database } from '../database.ts';
import { inTransaction, type Transaction } from '../transaction.ts';
import { prepared } from '../prepare.ts';
import { addEvent } from './inserts.ts';
import { runningRun } from './runs.ts';
import type { MailTable } from '../tables/sessions.ts';
import type { Executor } from '../executor.ts';

/** A mail as the database holds it. */
export type MailRow = Selectable<MailTable>;

/** Columns of a mail that have the same value in the mailbox of each recipient. */
export type MailContent = Omit<Insertable<MailTable>, 'sessionId' | 'number' | 'readAt'>;

/** The session and project of a mailbox, and whether the mailbox is full. */
export interface OpenBox {
  readonly sessionId: string;
  readonly projectId: string;
  readonly isFull: boolean;
}

/** Rules of delivery: which sessions receive mail, and the maximum number of mails of a session. */
export interface BoxRules {
  /** States of sessions that receive mail. */
  readonly living: readonly SessionStatus[];
  readonly mailsMax: number;
}

/** Returns the mailbox of an address, which must be in lower case; null when no living session has this address. */
export async function findBox(db: Executor, address: string, { living, mailsMax }: BoxRules): Promise<OpenBox | null> {
  const session = await db
    .selectFrom('sessions')
    .select(['id', 'projectId'])
    .where('inboxEmail', '=', address)
    .where('status', 'in', [...living])
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
  if (session === undefined) return null;
  const isFull = (await latestNumber(db, session.id)) >= mailsMax;
  return { sessionId: session.id, projectId: session.projectId, isFull };
}

/** Returns the latest mail number, which is also the number of mails, because mails are not removed individually. */
async function latestNumber(db: Executor, sessionId: string): Promise<number> {
  const { latest } = await db
    .selectFrom('mails')
    .select((eb) => eb.fn.max('number').as('latest'))
    .where('sessionId', '=', sessionId)
    .executeTakeFirstOrThrow();
  return latest ?? 0;
}

/** A mail to store, with its recipients. */
export interface Delivery {
  /** Distinct recipient addresses in lower case. */
  readonly addresses: readonly string[];
  readonly mail: MailContent;
  readonly rules: BoxRules;
  /** Returns the content of the event for a session, as JSON text. */
  readonly told: (sessionId: string) => string;
}

/**
 * Stores a mail in the mailboxes of all recipients. Adds one event to the session of each mailbox; the event names the
 * run that works there, if any.
 * Stores nothing if an address has no mailbox (`unknown`) or a mailbox is full (`full`). Returns the sessions or this
 * reason.
 */
export async function storeMail(
  db: Database,
  { addresses, mail, rules, told }: Delivery,
): Promise<{ readonly sessionIds: readonly string[] } | { readonly refused: 'unknown' | 'full' }> {
  // An address always belongs to the same session.
  const before = await Promise.all(addresses.map((address) => findBox(db, address, rules)));
  const [first, ...rest] = before.flatMap((box) => (box === null ? [] : [box.sessionId]));
  if (first === undefined) return { refused: 'unknown' };
  return inTransaction(
    db,
    async (trx) => {
      const boxes = [];
      for (const address of addresses) boxes.push(await findBox(trx, address, rules));
      const found = boxes.filter((box) => box !== null);
      if (found.length < boxes.length) return { refused: 'unknown' };
      if (found.some(({ isFull }) => isFull)) return { refused: 'full' };
      for (const { sessionId } of found) {
        const number = (await latestNumber(trx, sessionId)) + 1;
        await trx
          .insertInto('mails')
          .values({ ...mail, sessionId, number })
          .execute();
        const runId = (await runningRun(trx, sessionId))?.id ?? null;
        const event = { sessionId, runId, type: 'mail.received', data: told(sessionId) };
        await addEvent(trx, { ...event, createdAt: mail.receivedAt });
      }
      return { sessionIds: found.map(({ sessionId }) => sessionId) };
    },
    { of: [first, ...rest] },
  );
}

/** Columns of a mail for lists and searches, without its text, links and attachments, which may have megabytes. */
export type MailHead = Pick<MailRow, (typeof headColumns)[number]>;

const headColumns = ['number', 'sender', 'senderName', 'subject', 'receivedAt', 'readAt'] as const;

/** Returns the heads of all mails of a session, oldest first. `BoxRules.mailsMax` limits their number. */
export function mailHeads(db: Executor, sessionId: string): Promise<MailHead[]> {
  return db.selectFrom('mails').select(headColumns).where('sessionId', '=', sessionId).orderBy('number').execute();
}

/** Returns one mail of a session; undefined for an unknown number. */
export function findMail(db: Executor, sessionId: string, number: number): Promise<MailRow | undefined> {
  return db
    .selectFrom('mails')
    .selectAll()
    .where('sessionId', '=', sessionId)
    .where('number', '=', number)
    .executeTakeFirst();
}

/** Records the time at which a mail was first passed to a task. */
export async function markRead(db: Executor, { sessionId, number }: MailRow, now: number): Promise<void> {
  await db
    .updateTable('mails')
    .set({ readAt: now })
    .where('sessionId', '=', sessionId)
    .where('number', '=', number)
    .where('readAt', 'is', null)
    .execute();
}

/** Removes all mails of a session. */
export async function deleteMails(trx: Transaction, sessionId: string): Promise<void> {
  await deleteSessionMails.run(trx, { sessionId });
}

const deleteSessionMails = prepared<{ readonly sessionId: string }, unknown>(['sessionId'], (db, { sessionId }) =>
  db.deleteFrom('mails').where('sessionId', '=', sessionId),
);
