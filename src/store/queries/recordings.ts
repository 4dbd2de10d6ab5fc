import { type Selectable, sql } from 'kysely';
import { browserStatus, runState, type SessionStatus } from '#generated/states.ts';
import type { MaybePromise } from '#lib/maybe-promise.ts';
import type { Database } from '../database.ts';
import { inTransaction } from '../transaction.ts';
import { unmarkUnreferenced } from '../blobs/unreferenced-blobs.ts';
import { prepared } from '../prepare.ts';
import type { RecordingTable } from '../tables/browsers.ts';
import type { Executor } from '../executor.ts';

/** A recording as the database holds it. */
export type RecordingRow = Selectable<RecordingTable>;

/** Result of an ended recording. */
export interface EndedRecording {
  readonly id: string;
  /** Unreferenced blob key, size in bytes and duration of the stored video; null when the recording shows nothing. */
  readonly bytes: { readonly key: string; readonly size: number; readonly durationMs: number } | null;
  readonly now: number;
}

/** The process that makes recordings and the folder of growing videos; both null in a single-process service. */
export type RecordingPlace = Pick<RecordingRow, 'worker' | 'folder'>;

/** A recording to insert. */
export interface NewRecording {
  readonly id: string;
  readonly ownerId: string;
  /** The run that the recording shows; null for a recording of a browser. */
  readonly runId: string | null;
  readonly goesOn: boolean;
  readonly place: RecordingPlace;
  readonly now: number;
}

/** Inserts an open recording. */
export async function insertRecording(db: Executor, recording: NewRecording): Promise<void> {
  const { id, ownerId, runId, goesOn, place, now } = recording;
  const of = { id, ownerId, runId };
  const row = { ...of, goesOn: goesOn ? 1 : 0, status: 'open', createdAt: now, ...place } as const;
  await db.insertInto('recordings').values(row).execute();
}

/**
 * Returns the open recording of a session or browser that its next browser in the same process will continue, or null.
 */
export async function findContinuedRecording(
  db: Executor,
  ownerId: string,
  worker: string | null,
): Promise<RecordingRow | null> {
  const query = db
    .selectFrom('recordings')
    .selectAll()
    .where('ownerId', '=', ownerId)
    .where('worker', 'is not distinct from', worker);
  return (await query.where('status', '=', 'open').where('goesOn', '=', 1).executeTakeFirst()) ?? null;
}

/** Returns all open recordings. */
export function openRecordings(db: Executor): Promise<RecordingRow[]> {
  return db.selectFrom('recordings').selectAll().where('status', '=', 'open').orderBy('createdAt').execute();
}

/** Returns the open recordings of a process. */
export function openRecordingsBy(db: Executor, worker: string): Promise<RecordingRow[]> {
  const open = db.selectFrom('recordings').selectAll().where('status', '=', 'open');
  return open.where('worker', '=', worker).orderBy('createdAt').execute();
}

/** Assigns an open recording to a process. */
export async function claimRecording(db: Executor, id: string, place: RecordingPlace): Promise<void> {
  await db.updateTable('recordings').set(place).where('id', '=', id).where('status', '=', 'open').execute();
}

interface OfOwner {
  readonly ownerId: string;
}

/** Returns the recordings of an owner, oldest first. */
export function listOwnerRecordings(db: Executor, ownerId: string): MaybePromise<readonly RecordingRow[]> {
  return byOwner.read(db, { ownerId });
}

const byOwner = prepared<OfOwner, RecordingRow>(['ownerId'], (db, { ownerId }) =>
  db.selectFrom('recordings').selectAll().where('ownerId', '=', ownerId).orderBy('createdAt').orderBy('id'),
);

/** Returns the recordings of a session's completed runs, oldest first: stopped and crashed runs have not completed. */
export function recordingsOfCompletedRuns(db: Executor, sessionId: string): MaybePromise<readonly RecordingRow[]> {
  return ofCompletedRuns.read(db, { ownerId: sessionId });
}

const ofCompletedRuns = prepared<OfOwner, RecordingRow>(['ownerId'], (db, { ownerId }) =>
  db
    .selectFrom('recordings')
    .innerJoin('runs', 'runs.id', 'recordings.runId')
    .selectAll('recordings')
    .where('recordings.ownerId', '=', ownerId)
    .where('runs.status', 'in', [sql.lit(runState.succeeded), sql.lit(runState.failed)])
    .orderBy('recordings.createdAt')
    .orderBy('recordings.id'),
);

/** Returns the recording with the given id, or null. */
export async function recordingById(db: Executor, id: string): Promise<RecordingRow | null> {
  return (await db.selectFrom('recordings').selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
}

/** Ends a recording; false when it was erased or has ended already. */
export function endRecording(db: Database, { id, bytes, now }: EndedRecording): Promise<boolean> {
  return inTransaction(
    db,
    async (trx) => {
      const set =
        bytes === null
          ? { status: 'none' as const }
          : { status: 'ready' as const, blobKey: bytes.key, size: bytes.size, durationMs: bytes.durationMs };
      const ended = await trx
        .updateTable('recordings')
        .set({ ...set, endedAt: now })
        .where('id', '=', id)
        .where('status', '=', 'open')
        .executeTakeFirst();
      if (ended.numUpdatedRows === 0n) return false;
      if (bytes !== null) await unmarkUnreferenced(trx, [bytes.key]);
      return true;
    },
    { of: [id] },
  );
}

/** Ends open recordings that began before a time and whose process is dead. Their videos can no longer be stored. */
export async function giveUpLostRecordings(
  db: Executor,
  { begunBefore, now }: { readonly begunBefore: number; readonly now: number },
): Promise<void> {
  const living = db.selectFrom('workers').select('id').where('buriedAt', 'is', null);
  await db
    .updateTable('recordings')
    .set({ status: 'none', endedAt: now })
    .where('status', '=', 'open')
    .where('createdAt', '<', begunBefore)
    .where('worker', 'is not', null)
    .where('worker', 'not in', living)
    .execute();
}

/** Deletes all recordings of a session or browser; returns the keys of their blobs. */
export async function eraseRecordings(db: Executor, ownerId: string): Promise<string[]> {
  const rows = await db.deleteFrom('recordings').where('ownerId', '=', ownerId).returning('blobKey').execute();
  return rows.flatMap(({ blobKey: key }) => (key === null ? [] : [key]));
}

/** Deletes up to `limit` recordings with a stored video that ended before a time; returns the keys of their blobs. */
export async function eraseOldRecordings(
  db: Executor,
  { endedBefore, limit }: { readonly endedBefore: number; readonly limit: number },
): Promise<string[]> {
  const old = await db
    .selectFrom('recordings')
    .select('id')
    .where('status', '=', 'ready')
    .where('endedAt', '<', endedBefore)
    .limit(limit)
    .execute();
  const ids = old.map(({ id }) => id);
  if (ids.length === 0) return [];
  const rows = await db.deleteFrom('recordings').where('id', 'in', ids).returning('blobKey').execute();
  return rows.flatMap(({ blobKey: key }) => (key === null ? [] : [key]));
}

/**
 * Returns whether an id belongs to an active browser, or to a session that is neither deleted nor in a state of
 * `ended`.
 */
export async function isRecordable(db: Executor, ownerId: string, ended: readonly SessionStatus[]): Promise<boolean> {
  const sessions = db.selectFrom('sessions').select('id').where('id', '=', ownerId).where('deletedAt', 'is', null);
  if ((await sessions.where('status', 'not in', [...ended]).executeTakeFirst()) !== undefined) return true;
  const browsers = db.selectFrom('browsers').select('id').where('id', '=', ownerId);
  return (await browsers.where('status', '=', browserStatus.active).executeTakeFirst()) !== undefined;
}
