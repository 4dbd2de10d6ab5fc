import type { Insertable, Selectable } from 'kysely';
import { type SessionStatus, sessionStatus } from '#generated/states.ts';
import type { Database } from '../database.ts';
import { prepared } from '../prepare.ts';
import type { EventRow, QueueTable, RunRow, StepRow } from '../tables/runs.ts';
import { inTransaction, type Transaction } from '../transaction.ts';
import { attach, moveAttachments, releaseAttachments } from './attachments.ts';
import type { Executor } from '../executor.ts';

/** A message as the database holds it. */
export type MessageRow = Selectable<QueueTable>;

/** A message that interrupted a run. */
export type InterruptingMessage = MessageRow & { readonly cutRunId: string };

/** A message for a session: its next task. With `interrupt` it replaces the running task. */
export interface NewMessage {
  readonly text: string;
  readonly interrupt: boolean;
  /** Ids of the uploads to attach. */
  readonly attachedFileIds: readonly string[];
  /** Whether to insert nothing when a pending message has the same text and mode. @defaultValue false */
  readonly onlyOnce?: boolean;
}

/**
 * Inserts a message and returns it. Returns `full` if `pendingMax` messages are pending, and `ended` if the session
 * accepts no messages any more. With `onlyOnce`, returns a pending message with the same text and mode, if one exists.
 */
export function insertMessage(
  db: Database,
  message: Insertable<QueueTable>,
  {
    pendingMax,
    living,
    fileIds,
    onlyOnce,
  }: {
    readonly pendingMax: number;
    readonly living: readonly SessionStatus[];
    readonly fileIds: readonly string[];
    readonly onlyOnce: boolean;
  },
): Promise<MessageRow | 'full' | 'ended'> {
  return inTransaction(
    db,
    async (trx) => {
      const same = onlyOnce ? await samePending(trx, message) : undefined;
      if (same !== undefined) return same;
      const { waiting } = await trx
        .selectFrom('queue_messages')
        .select((eb) => eb.fn.countAll<number>().as('waiting'))
        .where('sessionId', '=', message.sessionId)
        .where('status', '=', 'pending')
        .executeTakeFirstOrThrow();
      if (waiting >= pendingMax) return 'full';
      const session = await trx
        .selectFrom('sessions')
        .select('workspaceId')
        .where('id', '=', message.sessionId)
        .where('status', 'in', [...living])
        .where('deletedAt', 'is', null)
        .executeTakeFirst();
      if (session === undefined) return 'ended';
      const written = await trx.insertInto('queue_messages').values(message).returningAll().executeTakeFirstOrThrow();
      await attach(trx, { workspaceId: session.workspaceId, fileIds, to: { messageId: written.id } });
      return written;
    },
    // With attached files the scope is `everything`, because no other transaction may change the files meanwhile.
    { of: fileIds.length === 0 ? [message.sessionId] : 'everything' },
  );
}

/** Returns the oldest pending message with the same text and mode; undefined without one. */
function samePending(trx: Transaction, message: Insertable<QueueTable>): Promise<MessageRow | undefined> {
  return trx
    .selectFrom('queue_messages')
    .selectAll()
    .where('sessionId', '=', message.sessionId)
    .where('status', '=', 'pending')
    .where('mode', '=', message.mode)
    .where('text', '=', message.text)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
}

/** Records the run that a message interrupted. */
export async function recordInterruption(trx: Transaction, id: number, runId: string): Promise<void> {
  await trx.updateTable('queue_messages').set({ cutRunId: runId }).where('id', '=', id).execute();
}

/** Returns the messages of a session that interrupted a run, oldest first. */
export function interruptingMessages(db: Executor, sessionId: string): Promise<InterruptingMessage[]> {
  return db
    .selectFrom('queue_messages')
    .selectAll()
    .where('sessionId', '=', sessionId)
    .where('cutRunId', 'is not', null)
    .$narrowType<{ cutRunId: string }>()
    .orderBy('id')
    .execute();
}

/** Returns the pending messages of a session, oldest first. */
export function pendingMessages(db: Executor, sessionId: string): Promise<MessageRow[]> {
  return db
    .selectFrom('queue_messages')
    .selectAll()
    .where('sessionId', '=', sessionId)
    .where('status', '=', 'pending')
    .orderBy('id')
    .execute();
}

/**
 * Returns the ids of idle sessions with pending messages, in one project or, if `projectId` is null, in all projects.
 */
export async function waitingSessions(db: Executor, projectId: string | null): Promise<string[]> {
  const rows = projectId === null ? await allWaiting(db).execute() : (await selectWaiting.run(db, { projectId })).rows;
  return rows.map(({ id }) => id);
}

function allWaiting(db: Executor) {
  return db
    .selectFrom('queue_messages')
    .innerJoin('sessions', 'sessions.id', 'queue_messages.sessionId')
    .select('sessions.id')
    .distinct()
    .where('queue_messages.status', '=', 'pending')
    .where('sessions.status', '=', sessionStatus.idle);
}

const selectWaiting = prepared<{ readonly projectId: string }, { id: string }>(['projectId'], (db, { projectId }) =>
  allWaiting(db).where('sessions.projectId', '=', projectId),
);

/** Returns the message with the given id in a session, or null. */
export async function findMessage(db: Executor, sessionId: string, id: number): Promise<MessageRow | null> {
  const row = await db
    .selectFrom('queue_messages')
    .selectAll()
    .where('sessionId', '=', sessionId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row ?? null;
}

/** Cancels a pending message, releases its uploads, and returns it; null when the message is not pending any more. */
export function cancelMessage(db: Database, message: MessageRow): Promise<MessageRow | null> {
  return inTransaction(
    db,
    async (trx) => {
      const row = await trx
        .updateTable('queue_messages')
        .set({ status: 'cancelled' })
        .where('id', '=', message.id)
        .where('status', '=', 'pending')
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) return null;
      await releaseAttachments(trx, message.id);
      return row;
    },
    { of: [message.sessionId] },
  );
}

/** Cancels all pending messages of a session. Their uploads stay attached unless `releasePending` was called before. */
export async function cancelPending(db: Executor, sessionId: string): Promise<void> {
  await db
    .updateTable('queue_messages')
    .set({ status: 'cancelled' })
    .where('sessionId', '=', sessionId)
    .where('status', '=', 'pending')
    .execute();
}

/**
 * Returns whether a message is pending. Throws for an unknown message. Call it inside the transaction that takes the
 * message.
 */
export async function isPending(trx: Transaction, id: number): Promise<boolean> {
  const row = await trx.selectFrom('queue_messages').select('status').where('id', '=', id).executeTakeFirstOrThrow();
  return row.status === 'pending';
}

/** Marks a message as consumed by a run, and moves its uploads to the run. */
export async function markTaken(trx: Transaction, id: number, runId: string): Promise<void> {
  await trx.updateTable('queue_messages').set({ status: 'consumed', runId }).where('id', '=', id).execute();
  await moveAttachments(trx, id, runId);
}

/**
 * Selection of up to `limit` message events of a session whose ids are above `after` and below `before`; null means no
 * bound.
 */
export interface MessageWindow {
  readonly after: number | null;
  readonly before: number | null;
  readonly limit: number;
}

/** An event that belongs to a run. */
export type RunEventRow = EventRow & { readonly runId: string };

/**
 * Returns up to `limit` message events, oldest first: the first event of each run, which stands for its task, and
 * events of the given types. With `after`, returns the first events after this id, otherwise the last events before
 * `before`. Event ids increase, so later messages follow all earlier ones.
 */
export async function messageEvents(
  db: Executor,
  { sessionId, types }: { readonly sessionId: string; readonly types: readonly string[] },
  { after, before, limit }: MessageWindow,
): Promise<RunEventRow[]> {
  const ofRuns = db.selectFrom('events').where('sessionId', '=', sessionId).where('runId', 'is not', null);
  const tasks = ofRuns.select((eb) => eb.fn.min('id').as('id')).groupBy('runId');
  let query = ofRuns
    .selectAll()
    .$narrowType<{ runId: string }>()
    .where((eb) => eb.or([eb('type', 'in', [...types]), eb('id', 'in', tasks)]))
    .orderBy('id', after === null ? 'desc' : 'asc')
    .limit(limit);
  if (after !== null) query = query.where('id', '>', after);
  if (before !== null) query = query.where('id', '<', before);
  const rows = await query.execute();
  return after === null ? rows.toReversed() : rows;
}

/** Returns the runs with those ids, by id. */
export async function runsById(db: Executor, ids: readonly string[]): Promise<ReadonlyMap<string, RunRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('runs')
    .selectAll()
    .where('id', 'in', [...ids])
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * Returns the steps that belong to the given events, which are consecutive step events of one run. A step and its event
 * are written in one transaction, so the n-th step event of a run belongs to its n-th step.
 */
export async function stepsBehind(db: Executor, events: readonly RunEventRow[]): Promise<StepRow[]> {
  const [first] = events;
  if (first === undefined) return [];
  const { earlier } = await db
    .selectFrom('events')
    .select((eb) => eb.fn.countAll<number>().as('earlier'))
    .where('runId', '=', first.runId)
    .where('type', '=', 'step')
    .where('id', '<', first.id)
    .executeTakeFirstOrThrow();
  return db
    .selectFrom('steps')
    .selectAll()
    .where('runId', '=', first.runId)
    .orderBy('id')
    .limit(events.length)
    .offset(earlier)
    .execute();
}
