import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { dialectOf } from '../dialect.ts';
import { inTransaction, type Transaction } from '../transaction.ts';
import { markAllUnreferenced } from '../blobs/unreferenced-blobs.ts';
import { markDeleted } from './sessions.ts';
import { eraseRecordings } from './recordings.ts';

/** Sessions whose purge has begun and was not finished. */
export async function unfinishedPurges(db: Database): Promise<string[]> {
  const rows = await db.selectFrom('sessions').select('id').where('purge_state', '=', 'wanted').execute();
  return rows.map(({ id }) => id);
}

/** From now on the session does not exist for anybody and is to be erased, also by the next process. */
export async function markForPurge(trx: Transaction, sessionId: string, now: number): Promise<void> {
  await markDeleted(trx, sessionId, { deleted_at: now, purge_state: 'wanted' });
}

/** Nothing but its meters is left of the session. */
export async function markPurged(db: Database, sessionId: string): Promise<void> {
  await db.updateTable('sessions').set({ purge_state: 'done' }).where('id', '=', sessionId).execute();
}

/** Whether the session of a run is erased or is going to be; to be asked inside the transaction that adds something of the run. */
export async function isPurged(db: Database, runId: string): Promise<boolean> {
  const query = db.selectFrom('runs').innerJoin('sessions', 'sessions.id', 'runs.session_id').select('runs.id');
  const purged = query.where('runs.id', '=', runId).where('sessions.purge_state', 'is not', null);
  return (await purged.executeTakeFirst()) !== undefined;
}

/** How long readers and writers of other programs are waited for, in milliseconds. */
const readersMs = 5_000;
const lookMs = 20;

/** What erasing a session depends on. */
export interface Erasure {
  readonly now: number;
  /** Returns an unpredictable token. */
  readonly newToken: () => string;
}

/**
 * Erases what is kept of a session but its meters, and puts the keys of its bytes on the list of loose blobs; answers them. To
 * be done again is without effect.
 */
export function eraseSession(db: Database, sessionId: string, erasure: Erasure): Promise<string[]> {
  return inTransaction(
    db,
    async (trx) => {
      const attached = await eraseAttachedFiles(trx, sessionId);
      await markAllUnreferenced(trx, attached, erasure.now);
      return [...attached, ...(await eraseOwn(trx, sessionId, erasure))];
      // Files of workspaces that are not its own go with it.
    },
    { of: 'everything' },
  );
}

/** The same as part of a transaction, but for files that it left in workspaces which are not its own. */
export async function eraseOwn(trx: Transaction, sessionId: string, erasure: Erasure): Promise<string[]> {
  const recordings = await eraseRecordings(trx, sessionId);
  const files = await eraseOwnFiles(trx, sessionId, erasure.now);
  const keys = [...(await pictureKeys(trx, sessionId)), ...files, ...recordings];
  await markAllUnreferenced(trx, keys, erasure.now);
  await trx
    .deleteFrom('attachments')
    .where((eb) =>
      eb.or([eb('run_id', 'in', runsOf(trx, sessionId)), eb('message_id', 'in', messagesOf(trx, sessionId))]),
    )
    .execute();
  for (const table of ['pictures', 'steps', 'events', 'queue_messages', 'shares', 'model_calls', 'mails'] as const)
    await trx.deleteFrom(table).where('session_id', '=', sessionId).execute();
  await blankRuns(trx, sessionId);
  await blankSession(trx, sessionId, erasure.newToken);
  return keys;
}

const runsOf = (trx: Transaction, sessionId: string) =>
  trx.selectFrom('runs').select('id').where('session_id', '=', sessionId);
const messagesOf = (trx: Transaction, sessionId: string) =>
  trx.selectFrom('queue_messages').select('id').where('session_id', '=', sessionId);

/**
 * Files that were attached to its runs and messages, and that its runs made. Other files of a workspace stay: they are its owner's.
 * Answers the keys of their bytes.
 */
async function eraseAttachedFiles(trx: Transaction, sessionId: string): Promise<string[]> {
  const runs = runsOf(trx, sessionId);
  const ofSession = trx
    .selectFrom('attachments')
    .select('file_id')
    .where((eb) => eb.or([eb('run_id', 'in', runs), eb('message_id', 'in', messagesOf(trx, sessionId))]));
  const files = await trx
    .deleteFrom('files')
    .where((eb) => eb.or([eb('run_id', 'in', runs), eb('id', 'in', ofSession)]))
    .returning('blob_key')
    .execute();
  return files.flatMap(({ blob_key: key }) => (key === null ? [] : [key]));
}

/** All files of the workspace that it owns. Answers the keys of their bytes. */
async function eraseOwnFiles(trx: Transaction, sessionId: string, now: number): Promise<string[]> {
  const owned = trx.selectFrom('workspaces').select('id').where('owner_id', '=', sessionId);
  const files = await trx.deleteFrom('files').where('workspace_id', 'in', owned).returning('blob_key').execute();
  await trx.updateTable('workspaces').set({ archived_at: now }).where('owner_id', '=', sessionId).execute();
  return files.flatMap(({ blob_key: key }) => (key === null ? [] : [key]));
}

/** Every picture of a session: of earlier releases only those are known that a row names. */
export async function pictureKeys(trx: Transaction, sessionId: string): Promise<string[]> {
  const own = await trx.selectFrom('pictures').select('key').where('session_id', '=', sessionId).execute();
  const ofSteps = await trx
    .selectFrom('steps')
    .select('screenshot_key as key')
    .where('session_id', '=', sessionId)
    .execute();
  const latest = await trx.selectFrom('sessions').select('screenshot_key as key').where('id', '=', sessionId).execute();
  const keys = [...own, ...ofSteps, ...latest].map(({ key }) => key);
  return [...new Set(keys.filter((key) => key !== null))];
}

async function blankRuns(trx: Transaction, sessionId: string): Promise<void> {
  const blank = {
    task: '',
    reason: null,
    output: null,
    settings: null,
    model_params: null,
    secrets: null,
    title: null,
    judgement: null,
  };
  await trx.updateTable('runs').set(blank).where('session_id', '=', sessionId).execute();
}

async function blankSession(trx: Transaction, sessionId: string, newToken: () => string): Promise<void> {
  const texts = { title: null, last_step_summary: null, output: null, output_schema: null, start_url: null };
  const places = {
    inbox_email: null,
    screenshot_key: null,
    profile_id: null,
    workspace_id: null,
    custom_proxy: null,
    // Of no token: nothing opens the live view any more.
    live_hash: newToken(),
    view_hash: newToken(),
    sealed_tokens: '',
  };
  await trx
    .updateTable('sessions')
    .set({ ...texts, ...places })
    .where('id', '=', sessionId)
    .execute();
}

/**
 * What was overwritten stands in the write-ahead log of SQLite until it is written over: now. PostgreSQL keeps it in dead rows and its own log
 * until its housekeeping comes by, which is its operator's (decision 47).
 */
export async function forgetOverwritten(db: Database): Promise<void> {
  if (dialectOf(db) !== 'sqlite') return;
  const until = performance.now() + readersMs;
  for (;;) {
    const { rows } = await sql<{ readonly busy: number }>`pragma wal_checkpoint(truncate)`.execute(db);
    if (rows[0]?.busy !== 1 || performance.now() > until) return;
    await setTimeout(lookMs);
  }
}
