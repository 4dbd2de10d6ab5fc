import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { getDialect } from '../dialect.ts';
import { inTransaction, type Transaction } from '../transaction.ts';
import { markAllUnreferenced } from '../blobs/unreferenced-blobs.ts';
import { markDeleted } from './sessions.ts';
import { eraseRecordings } from './recordings.ts';
import type { Executor } from '../executor.ts';
import type { RunRow } from '../tables/runs.ts';
import type { SessionRow } from '../tables/sessions.ts';

/** Returns the ids of sessions whose purge was requested and has not finished. */
export async function unfinishedPurges(db: Executor): Promise<string[]> {
  const rows = await db.selectFrom('sessions').select('id').where('purgeState', '=', 'wanted').execute();
  return rows.map(({ id }) => id);
}

/** Hides a session from all responses and requests its purge. A later process can finish the purge. */
export async function markForPurge(trx: Transaction, sessionId: string, now: number): Promise<void> {
  await markDeleted(trx, sessionId, { deletedAt: now, purgeState: 'wanted' });
}

/** Marks a session as purged: only its meters remain. */
export async function markPurged(db: Executor, sessionId: string): Promise<void> {
  await db.updateTable('sessions').set({ purgeState: 'done' }).where('id', '=', sessionId).execute();
}

/**
 * Returns whether the purge of a run's session was requested or has finished. Call it inside the transaction that adds
 * data of the run.
 */
export async function isPurged(db: Executor, runId: string): Promise<boolean> {
  const query = db.selectFrom('runs').innerJoin('sessions', 'sessions.id', 'runs.sessionId').select('runs.id');
  const purged = query.where('runs.id', '=', runId).where('sessions.purgeState', 'is not', null);
  return (await purged.executeTakeFirst()) !== undefined;
}

/**
 * Maximum time for which {@link forgetOverwritten} waits for other readers and writers of the database, in
 * milliseconds.
 */
const readersMs = 5_000;
const lookMs = 20;

/** Dependencies of erasing a session. */
export interface Erasure {
  readonly now: number;
  /** Returns an unpredictable token. */
  readonly newToken: () => string;
}

/**
 * Erases the data of a session except its meters. Records the keys of its blobs as unreferenced and returns them.
 * Idempotent.
 */
export function eraseSession(db: Database, sessionId: string, erasure: Erasure): Promise<string[]> {
  return inTransaction(
    db,
    async (trx) => {
      const attached = await eraseAttachedFiles(trx, sessionId);
      await markAllUnreferenced(trx, attached, erasure.now);
      return [...attached, ...(await eraseOwn(trx, sessionId, erasure))];
      // The scope covers files in workspaces that the session does not own.
    },
    { of: 'everything' },
  );
}

/**
 * Erases the data of a session within a transaction, except files in workspaces that the session does not own. Returns
 * the keys of its blobs, which are unreferenced afterwards.
 */
export async function eraseOwn(trx: Transaction, sessionId: string, erasure: Erasure): Promise<string[]> {
  const recordings = await eraseRecordings(trx, sessionId);
  const files = await eraseOwnFiles(trx, sessionId, erasure.now);
  const keys = [...(await pictureKeys(trx, sessionId)), ...files, ...recordings];
  await markAllUnreferenced(trx, keys, erasure.now);
  await trx
    .deleteFrom('attachments')
    .where((eb) =>
      eb.or([eb('runId', 'in', selectRuns(trx, sessionId)), eb('messageId', 'in', selectMessages(trx, sessionId))]),
    )
    .execute();
  for (const table of ['pictures', 'steps', 'events', 'queue_messages', 'shares', 'model_calls', 'mails'] as const)
    await trx.deleteFrom(table).where('sessionId', '=', sessionId).execute();
  await deleteProposals(trx, sessionId);
  await blankRuns(trx, sessionId);
  await blankSession(trx, sessionId, erasure.newToken);
  return keys;
}

const selectRuns = (trx: Transaction, sessionId: string) =>
  trx.selectFrom('runs').select('id').where('sessionId', '=', sessionId);
const selectMessages = (trx: Transaction, sessionId: string) =>
  trx.selectFrom('queue_messages').select('id').where('sessionId', '=', sessionId);

/**
 * Deletes the files that were attached to the session's runs and messages, and the files that its runs made. Other
 * files of the same workspaces stay. Returns the blob keys of the deleted files.
 */
async function eraseAttachedFiles(trx: Transaction, sessionId: string): Promise<string[]> {
  const runs = selectRuns(trx, sessionId);
  const ofSession = trx
    .selectFrom('attachments')
    .select('fileId')
    .where((eb) => eb.or([eb('runId', 'in', runs), eb('messageId', 'in', selectMessages(trx, sessionId))]));
  const files = await trx
    .deleteFrom('files')
    .where((eb) => eb.or([eb('runId', 'in', runs), eb('id', 'in', ofSession)]))
    .returning('blobKey')
    .execute();
  return files.flatMap(({ blobKey: key }) => (key === null ? [] : [key]));
}

/**
 * Deletes all files of the workspace that a session owns, and archives the workspace. Returns the blob keys of the
 * deleted files.
 */
async function eraseOwnFiles(trx: Transaction, sessionId: string, now: number): Promise<string[]> {
  const owned = trx.selectFrom('workspaces').select('id').where('ownerId', '=', sessionId);
  const files = await trx.deleteFrom('files').where('workspaceId', 'in', owned).returning('blobKey').execute();
  await trx.updateTable('workspaces').set({ archivedAt: now }).where('ownerId', '=', sessionId).execute();
  return files.flatMap(({ blobKey: key }) => (key === null ? [] : [key]));
}

/**
 * Returns the blob keys of all screenshots of a session. Earlier releases stored no list of screenshots; of these
 * screenshots, only those that a step or the session refers to are returned.
 */
export async function pictureKeys(trx: Transaction, sessionId: string): Promise<string[]> {
  const own = await trx.selectFrom('pictures').select('key').where('sessionId', '=', sessionId).execute();
  const ofSteps = await trx
    .selectFrom('steps')
    .select('screenshotKey as key')
    .where('sessionId', '=', sessionId)
    .execute();
  const latest = await trx.selectFrom('sessions').select('screenshotKey as key').where('id', '=', sessionId).execute();
  const keys = [...own, ...ofSteps, ...latest].map(({ key }) => key);
  return [...new Set(keys.filter((key) => key !== null))];
}

/** Deletes schedules that the session's agent proposed, if no person has confirmed or refused them yet. */
async function deleteProposals(trx: Transaction, sessionId: string): Promise<void> {
  const proposals = trx.deleteFrom('schedules').where('proposedBy', '=', sessionId);
  await proposals.where('status', '=', 'proposed').execute();
}

/**
 * Names of the text columns of a row that may be null, except the columns `Kept`. Makes the compiler require that each
 * new column is either erased or listed in `Kept`.
 */
type Texts<Row, Kept extends keyof Row> = Exclude<
  {
    [Name in keyof Row]: null extends Row[Name] ? (string extends NonNullable<Row[Name]> ? Name : never) : never;
  }[keyof Row],
  Kept
>;

async function blankRuns(trx: Transaction, sessionId: string): Promise<void> {
  const blank = {
    reason: null,
    output: null,
    settings: null,
    modelParams: null,
    secrets: null,
    title: null,
    judgement: null,
    suggestions: null,
  } satisfies Record<Texts<RunRow, 'model' | 'thinkingLevel' | 'traceParent'>, null>;
  await trx
    .updateTable('runs')
    .set({ ...blank, task: '' })
    .where('sessionId', '=', sessionId)
    .execute();
}

type KeptOfSession = 'thinkingLevel' | 'proxyCountryCode' | 'sealedTokens' | 'owner' | 'ownerUrl' | 'keyId';

async function blankSession(trx: Transaction, sessionId: string, newToken: () => string): Promise<void> {
  const blank = {
    title: null,
    lastStepSummary: null,
    output: null,
    outputSchema: null,
    startUrl: null,
    integrationsUsed: null,
    inboxEmail: null,
    screenshotKey: null,
    profileId: null,
    workspaceId: null,
    customProxy: null,
  } satisfies Record<Texts<SessionRow, KeptOfSession>, null>;
  // These values are the hash of no token, so that no URL opens the live view any more.
  const tokens = { liveHash: newToken(), viewHash: newToken(), sealedTokens: '' };
  await trx
    .updateTable('sessions')
    .set({ ...blank, ...tokens })
    .where('id', '=', sessionId)
    .execute();
}

/**
 * Truncates SQLite's write-ahead log, which still contains overwritten data; gives up after `readersMs` if a reader
 * keeps the log busy. Does nothing in PostgreSQL, where vacuum and checkpoints remove overwritten data (decision 47).
 */
export async function forgetOverwritten(db: Executor): Promise<void> {
  if (getDialect(db) !== 'sqlite') return;
  const until = performance.now() + readersMs;
  for (;;) {
    const { rows } = await sql<{ readonly busy: number }>`pragma wal_checkpoint(truncate)`.execute(db);
    if (rows[0]?.busy !== 1 || performance.now() > until) return;
    await setTimeout(lookMs);
  }
}
