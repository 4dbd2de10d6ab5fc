import type { Database } from '#store/database.ts';
import type { RetentionKind } from './periods.ts';

/** Which things of one kind are meant. */
export interface OldQuery {
  readonly db: Database;
  /** States of sessions that nothing leaves. */
  readonly ended: readonly string[];
  /** Old is what is not younger than this, in milliseconds since the epoch. */
  readonly before: number;
  /** How many are wanted at most. */
  readonly limit: number;
  /** Only the one of that id, or null for any. */
  readonly only: string | null;
}

/** Something that may go. */
export interface Old {
  readonly id: string;
  /** What its age is counted from, in milliseconds since the epoch. */
  readonly since: number;
}

/** How the things of each kind are found: what spec/rules/retention.yaml says of it, as a query. */
const finders: Readonly<Record<RetentionKind, (query: OldQuery) => Promise<Old[]>>> = {
  sessions: (query) => oldSessions(query).execute(),
  deletedSessions: (query) => oldDeletedSessions(query).execute(),
  events: (query) => withEvents(query).execute(),
  screenshots: (query) => withPictures(query).execute(),
  recordings: (query) => oldRecordings(query).execute(),
  downloads: (query) => oldDownloads(query).execute(),
  workspaces: (query) => oldWorkspaces(query).execute(),
};

/** What of a kind is old and nothing refers to. */
export function findOld(kind: RetentionKind, query: OldQuery): Promise<Old[]> {
  return finders[kind](query);
}

/** Sessions that ended long ago, are not deleted, and are not shared; nothing leads back from an end state. */
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

/** Sessions that were deleted long ago, and of which more than their meters is left. */
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

/** Such sessions that have events. */
function withEvents(query: OldQuery) {
  return oldSessions(query).where((eb) =>
    eb.exists(eb.selectFrom('events').select('events.id').whereRef('events.session_id', '=', 'sessions.id')),
  );
}

/** Such sessions that have pictures. */
function withPictures(query: OldQuery) {
  return oldSessions(query).where((eb) =>
    eb.or([
      eb('screenshot_key', 'is not', null),
      eb.exists(eb.selectFrom('pictures').select('key').whereRef('pictures.session_id', '=', 'sessions.id')),
    ]),
  );
}

/** Recordings that ended long ago, of a session that may go or a browser that was stopped. */
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

/** Downloads of browsers that were stopped long ago. */
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

/** Nameless workspaces that no session works in, and to which nothing came for long. */
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
