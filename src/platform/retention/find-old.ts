import type { Database } from '#store/database.ts';
import type { RetentionKind } from './periods.ts';

/** Selection of old data of one kind. */
export interface OldQuery {
  readonly db: Database;
  /** End states of sessions. */
  readonly ended: readonly string[];
  /** Maximum time of old data, in milliseconds since the epoch; included. */
  readonly before: number;
  /** Maximum number of results. */
  readonly limit: number;
  /** Id of the only result; null for any. */
  readonly only: string | null;
}

/** Data that may be removed. */
export interface Old {
  readonly id: string;
  /** Start of its age, in milliseconds since the epoch. */
  readonly since: number;
}

/** Query of each kind, as spec/rules/retention.yaml defines it. */
const finders: Readonly<Record<RetentionKind, (query: OldQuery) => Promise<Old[]>>> = {
  sessions: (query) => oldSessions(query).execute(),
  deletedSessions: (query) => oldDeletedSessions(query).execute(),
  events: (query) => withEvents(query).execute(),
  screenshots: (query) => withPictures(query).execute(),
  recordings: (query) => oldRecordings(query).execute(),
  downloads: (query) => oldDownloads(query).execute(),
  workspaces: (query) => oldWorkspaces(query).execute(),
};

/** Finds old data of a kind to which nothing refers. */
export function findOld(kind: RetentionKind, query: OldQuery): Promise<Old[]> {
  return finders[kind](query);
}

/**
 * Selects sessions that ended before the time and are neither deleted nor shared. A session never leaves an end state.
 */
function oldSessions({ db, ended, before, limit, only }: OldQuery) {
  return db
    .selectFrom('sessions')
    .select(['sessions.id', 'sessions.active_at as since'])
    .where('resumable', 'in', [0, 1])
    .where('status', 'in', [...ended])
    .where('active_at', '<=', before)
    .where('deleted_at', 'is', null)
    .where('purge_state', 'is', null)
    .where('sessions.id', 'not in', db.selectFrom('shares').select('session_id'))
    .$if(only !== null, (query) => query.where('sessions.id', '=', only))
    .limit(limit);
}

/** Selects sessions that were deleted before the time and still have data besides their meters. */
function oldDeletedSessions({ db, ended, before, limit, only }: OldQuery) {
  return db
    .selectFrom('sessions')
    .select(['sessions.id', 'sessions.deleted_at as since'])
    .$narrowType<{ since: number }>()
    .where('resumable', 'in', [0, 1])
    .where('status', 'in', [...ended])
    .where('active_at', '<=', before)
    .where('deleted_at', '<=', before)
    .where('purge_state', 'is', null)
    .$if(only !== null, (query) => query.where('sessions.id', '=', only))
    .limit(limit);
}

/** Selects such sessions with events. */
function withEvents(query: OldQuery) {
  return oldSessions(query).where((eb) =>
    eb.exists(eb.selectFrom('events').select('events.id').whereRef('events.session_id', '=', 'sessions.id')),
  );
}

/** Selects such sessions with screenshots. */
function withPictures(query: OldQuery) {
  return oldSessions(query).where((eb) =>
    eb.or([
      eb('screenshot_key', 'is not', null),
      eb.exists(eb.selectFrom('pictures').select('key').whereRef('pictures.session_id', '=', 'sessions.id')),
    ]),
  );
}

/** Selects recordings that ended before the time, of ended sessions and stopped browsers. */
function oldRecordings({ db, ended, before, limit, only }: OldQuery) {
  const shared = db.selectFrom('shares').select('session_id');
  return db
    .selectFrom('recordings')
    .leftJoin('sessions', 'sessions.id', 'recordings.owner_id')
    .leftJoin('browsers', 'browsers.id', 'recordings.owner_id')
    .select(['recordings.id', 'recordings.ended_at as since'])
    .$narrowType<{ since: number }>()
    .where('recordings.status', '=', 'ready')
    .where('recordings.ended_at', '<=', before)
    .where((eb) => eb.or([eb('browsers.status', '=', 'stopped'), eb('sessions.status', 'in', [...ended])]))
    .where('recordings.owner_id', 'not in', shared)
    .$if(only !== null, (query) => query.where('recordings.id', '=', only))
    .limit(limit);
}

/** Selects downloads of browsers that were stopped before the time. */
function oldDownloads({ db, before, limit, only }: OldQuery) {
  return db
    .selectFrom('downloads')
    .innerJoin('browsers', 'browsers.id', 'downloads.browser_id')
    .select(['downloads.id', 'browsers.finished_at as since'])
    .$narrowType<{ since: number }>()
    .where('browsers.status', '=', 'stopped')
    .where('browsers.finished_at', '<=', before)
    .$if(only !== null, (query) => query.where('downloads.id', '=', only))
    .limit(limit);
}

/** Selects workspaces without name and session that received no file since the time. */
function oldWorkspaces({ db, before, limit, only }: OldQuery) {
  const used = db
    .selectFrom('sessions')
    .select('workspace_id')
    .where('workspace_id', 'is not', null)
    .where('deleted_at', 'is', null);
  const touched = db
    .selectFrom('files')
    .select('workspace_id')
    .where((eb) =>
      eb.or([eb('stored_at', '>', before), eb.and([eb('stored_at', 'is', null), eb('open_until', '>', before)])]),
    );
  return db
    .selectFrom('workspaces')
    .select(['workspaces.id', 'workspaces.updated_at as since'])
    .where('name', 'is', null)
    .where('owner_id', 'is', null)
    .where('archived_at', 'is', null)
    .where('updated_at', '<=', before)
    .where('workspaces.id', 'not in', used.$narrowType<{ workspace_id: string }>())
    .where('workspaces.id', 'not in', touched)
    .$if(only !== null, (query) => query.where('workspaces.id', '=', only))
    .limit(limit);
}
