import type { retention } from '#generated/rules.ts';
import { browserStatus, type SessionStatus } from '#generated/states.ts';
import { markAllUnreferenced } from '../blobs/unreferenced-blobs.ts';
import type { Transaction } from '../transaction.ts';
import { eraseOwn, type Erasure, markForPurge, markPurged, pictureKeys } from './erase-session.ts';
import type { Executor } from '../executor.ts';

/** A kind of stored data with a retention rule in spec/rules/retention.yaml. */
export type RetentionKind = (typeof retention.kinds)[number]['kind'];

/** Filter for old rows of one kind. */
export interface OldQuery {
  /** End states of sessions. */
  readonly ended: readonly SessionStatus[];
  /** Rows that date from this time or earlier are old, in milliseconds since the epoch. */
  readonly before: number;
  readonly limit: number;
  /** Id of the only row to consider; null for all. */
  readonly only: string | null;
}

/** A row that a retention sweep may remove. */
export interface Old {
  readonly id: string;
  /** Time from which the age of the row counts, in milliseconds since the epoch. */
  readonly since: number;
}

type Finder = (db: Executor, query: OldQuery) => Promise<Old[]>;

/** Queries by kind of data. Each query finds the old rows of its kind. */
const finders: Readonly<Record<RetentionKind, Finder>> = {
  sessions: (db, query) => oldSessions(db, query).execute(),
  deletedSessions: findDeletedSessions,
  events: (db, query) => withEvents(db, query).execute(),
  screenshots: (db, query) => withPictures(db, query).execute(),
  recordings: findRecordings,
  downloads: findDownloads,
  workspaces: findWorkspaces,
};

/** Finds up to `limit` old rows of a kind that a retention sweep may remove. */
export function findOld(db: Executor, kind: RetentionKind, query: OldQuery): Promise<Old[]> {
  return finders[kind](db, query);
}

/**
 * Selects ended sessions that were last active at `before` or earlier, and that are neither deleted, purged nor shared.
 */
function oldSessions(db: Executor, { ended, before, limit, only }: OldQuery) {
  return db
    .selectFrom('sessions')
    .select(['sessions.id', 'sessions.activeAt as since'])
    .where('resumable', 'in', [0, 1])
    .where('status', 'in', [...ended])
    .where('activeAt', '<=', before)
    .where('deletedAt', 'is', null)
    .where('purgeState', 'is', null)
    .where('sessions.id', 'not in', db.selectFrom('shares').select('sessionId'))
    .$if(only !== null, (query) => query.where('sessions.id', '=', only))
    .limit(limit);
}

/** Finds ended sessions that were last active and deleted at `before` or earlier, and whose purge was not requested. */
function findDeletedSessions(db: Executor, { ended, before, limit, only }: OldQuery): Promise<Old[]> {
  return db
    .selectFrom('sessions')
    .select(['sessions.id', 'sessions.deletedAt as since'])
    .$narrowType<{ since: number }>()
    .where('resumable', 'in', [0, 1])
    .where('status', 'in', [...ended])
    .where('activeAt', '<=', before)
    .where('deletedAt', '<=', before)
    .where('purgeState', 'is', null)
    .$if(only !== null, (query) => query.where('sessions.id', '=', only))
    .limit(limit)
    .execute();
}

function withEvents(db: Executor, query: OldQuery) {
  return oldSessions(db, query).where((eb) =>
    eb.exists(eb.selectFrom('events').select('events.id').whereRef('events.sessionId', '=', 'sessions.id')),
  );
}

function withPictures(db: Executor, query: OldQuery) {
  return oldSessions(db, query).where((eb) =>
    eb.or([
      eb('screenshotKey', 'is not', null),
      eb.exists(eb.selectFrom('pictures').select('key').whereRef('pictures.sessionId', '=', 'sessions.id')),
    ]),
  );
}

/**
 * Finds stored recordings that ended at `before` or earlier. Their owner is a stopped browser, or an ended session
 * without a public share.
 */
function findRecordings(db: Executor, { ended, before, limit, only }: OldQuery): Promise<Old[]> {
  const shared = db.selectFrom('shares').select('sessionId');
  return db
    .selectFrom('recordings')
    .leftJoin('sessions', 'sessions.id', 'recordings.ownerId')
    .leftJoin('browsers', 'browsers.id', 'recordings.ownerId')
    .select(['recordings.id', 'recordings.endedAt as since'])
    .$narrowType<{ since: number }>()
    .where('recordings.status', '=', 'ready')
    .where('recordings.endedAt', '<=', before)
    .where((eb) => eb.or([eb('browsers.status', '=', browserStatus.stopped), eb('sessions.status', 'in', [...ended])]))
    .where('recordings.ownerId', 'not in', shared)
    .$if(only !== null, (query) => query.where('recordings.id', '=', only))
    .limit(limit)
    .execute();
}

/** Finds downloads of browsers that were stopped at `before` or earlier. */
function findDownloads(db: Executor, { before, limit, only }: OldQuery): Promise<Old[]> {
  return db
    .selectFrom('downloads')
    .innerJoin('browsers', 'browsers.id', 'downloads.browserId')
    .select(['downloads.id', 'browsers.finishedAt as since'])
    .$narrowType<{ since: number }>()
    .where('browsers.status', '=', browserStatus.stopped)
    .where('browsers.finishedAt', '<=', before)
    .$if(only !== null, (query) => query.where('downloads.id', '=', only))
    .limit(limit)
    .execute();
}

/**
 * Finds active workspaces that have no name, that no session or browser owns, and that no session uses except deleted
 * sessions. Since `before`, such a workspace was not changed, received no file, and had no open upload.
 */
function findWorkspaces(db: Executor, { before, limit, only }: OldQuery): Promise<Old[]> {
  const used = db
    .selectFrom('sessions')
    .select('workspaceId')
    .where('workspaceId', 'is not', null)
    .where('deletedAt', 'is', null);
  const touched = db
    .selectFrom('files')
    .select('workspaceId')
    .where((eb) =>
      eb.or([eb('storedAt', '>', before), eb.and([eb('storedAt', 'is', null), eb('openUntil', '>', before)])]),
    );
  return db
    .selectFrom('workspaces')
    .select(['workspaces.id', 'workspaces.updatedAt as since'])
    .where('name', 'is', null)
    .where('ownerId', 'is', null)
    .where('archivedAt', 'is', null)
    .where('updatedAt', '<=', before)
    .where('workspaces.id', 'not in', used.$narrowType<{ workspaceId: string }>())
    .where('workspaces.id', 'not in', touched)
    .$if(only !== null, (query) => query.where('workspaces.id', '=', only))
    .limit(limit)
    .execute();
}

/**
 * Erases a session as a purge does. Its meters stay, because the bill is computed from them. Returns the keys of its
 * blobs, which are unreferenced afterwards.
 */
export async function eraseOldSession(trx: Transaction, id: string, erasure: Erasure): Promise<readonly string[]> {
  await markForPurge(trx, id, erasure.now);
  const keys = await eraseOwn(trx, id, erasure);
  await markPurged(trx, id);
  return keys;
}

/** Deletes the events of a session. */
export async function deleteEvents(trx: Transaction, sessionId: string): Promise<void> {
  await trx.deleteFrom('events').where('sessionId', '=', sessionId).execute();
}

/** Deletes the screenshots of a session; returns the keys of their blobs, which are unreferenced afterwards. */
export async function deletePictures(trx: Transaction, sessionId: string, now: number): Promise<readonly string[]> {
  const keys = await pictureKeys(trx, sessionId);
  await trx.updateTable('sessions').set({ screenshotKey: null }).where('id', '=', sessionId).execute();
  await trx.updateTable('steps').set({ screenshotKey: null }).where('sessionId', '=', sessionId).execute();
  await trx.deleteFrom('pictures').where('sessionId', '=', sessionId).execute();
  await markAllUnreferenced(trx, keys, now);
  return keys;
}

/** Deletes a recording or download; returns the keys of its blobs, which are unreferenced afterwards. */
export async function deleteOldRow(
  trx: Transaction,
  { table, id }: { readonly table: 'recordings' | 'downloads'; readonly id: string },
  now: number,
): Promise<readonly string[]> {
  const rows = await trx.deleteFrom(table).where('id', '=', id).returning('blobKey').execute();
  const keys = rows.flatMap(({ blobKey: key }) => (key === null ? [] : [key]));
  await markAllUnreferenced(trx, keys, now);
  return keys;
}
