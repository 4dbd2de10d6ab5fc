import { type Insertable, type SelectQueryBuilder, sql, type Updateable } from 'kysely';
import { waitingRunStates } from '#contract/lifecycle.ts';
import { type SessionStatus, sessionStatus } from '#generated/states.ts';
import { type MaybePromise, whenResolved } from '#lib/maybe-promise.ts';
import type { Database } from '../database.ts';
import { presentColumns, prepared, preparedBy, preparedInsert } from '../prepare.ts';
import type { RunTable } from '../tables/runs.ts';
import type { Scope, SessionRow, SessionTable } from '../tables/sessions.ts';
import type { Tables } from '../tables/tables.ts';
import type { WorkspaceTable } from '../tables/files.ts';
import { inTransaction, type Transaction } from '../transaction.ts';
import { changeTotal, countActive, runTotalKind, sessionTotalKind, getTotal } from './counts.ts';
import { leaseFor, type NotCreated, releaseLease } from './profiles.ts';
import { projectActiveMax } from './projects.ts';
import { addEvent, addRun, addRunWithEvent, addWorkspace } from './inserts.ts';
import type { Executor } from '../executor.ts';

/** Returns the session with the given id if the scope may see it and it is not deleted, else null. */
export function findSession(db: Executor, scope: Scope, id: string): MaybePromise<SessionRow | null> {
  return whenResolved(sessionWithId.read(db, { id: id.toLowerCase() }), ([row]) => {
    if (row?.projectId !== scope.projectId || row.generation !== scope.generation) return null;
    return row.deletedAt === null ? row : null;
  });
}

const sessionWithId = prepared<{ readonly id: string }, SessionRow>(['id'], (db, { id }) =>
  db.selectFrom('sessions').selectAll().where('id', '=', id),
);

/** Returns whether a scope has a deleted session with the given id. */
export async function wasDeleted(db: Executor, scope: Scope, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('sessions')
    .select('id')
    .where('id', '=', id.toLowerCase())
    .where('projectId', '=', scope.projectId)
    .where('generation', '=', scope.generation)
    .where('deletedAt', 'is not', null)
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns whether a project has a run or session with the given id, of any API version, that is not deleted. */
export async function isOfProject(
  db: Executor,
  table: 'runs' | 'sessions',
  { projectId, id }: { readonly projectId: string; readonly id: string },
): Promise<boolean> {
  const found = await db
    .selectFrom(table)
    .select('id')
    .where('id', '=', id)
    .where('projectId', '=', projectId)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
  return found !== undefined;
}

/** Returns the session with the given id, of any project, for internal work. Throws when it does not exist. */
export async function sessionById(db: Executor, id: string): Promise<SessionRow> {
  const [row] = await sessionWithId.read(db, { id });
  if (row === undefined) throw new Error(`there is no session ${id}`);
  return row;
}

/**
 * Returns the session with the given id as the writing connection sees it: inside a transaction, with the transaction's
 * writes. Undefined for an unknown id.
 */
export async function sessionIn(db: Executor, id: string): Promise<SessionRow | undefined> {
  const [row] = (await sessionWithId.run(db, { id })).rows;
  return row;
}

/**
 * Starts the meter of a session's browser, unless the meter is already running or the session has one of the given
 * statuses.
 */
export async function openMeter(
  trx: Transaction,
  meter: { readonly id: string; readonly since: number },
  states: readonly SessionStatus[],
): Promise<void> {
  await startMeter(states).run(trx, meter);
}

const startMeter = preparedBy((states: readonly SessionStatus[]) =>
  prepared<{ readonly id: string; readonly since: number }, unknown>(['id', 'since'], (db, { id, since }) =>
    db
      .updateTable('sessions')
      .set({ browserSince: since })
      .where('id', '=', id)
      .where('browserSince', 'is', null)
      .where('status', 'not in', [...states]),
  ),
);

/** Page of a scope's sessions; `page` counts from 1. */
export interface SessionPage {
  readonly page: number;
  readonly pageSize: number;
  /**
   * Filter by the states `living`: only sessions in one of these states if `areLiving` is true, only sessions in any
   * other state if it is false. @defaultValue all sessions
   */
  readonly only?: { readonly living: readonly SessionStatus[]; readonly areLiving: boolean } | null;
}

/**
 * Returns one page of a scope's sessions, newest first, and their total on all pages. Rejects for V4, which has no such
 * total.
 */
export async function listSessions(
  db: Executor,
  scope: Scope,
  wanted: SessionPage,
): Promise<{ rows: SessionRow[]; total: number }> {
  const { page, pageSize, only = null } = wanted;
  const rows = await inOrder(selectSessions(db, scope, only))
    .limit(pageSize)
    .offset((page - 1) * pageSize)
    .execute();
  return { rows, total: await totalOn(db, scope, wanted) };
}

type Visible = SelectQueryBuilder<Tables, 'sessions', object>;

function visible(db: Executor, { projectId, generation }: Scope): Visible {
  const owned = db.selectFrom('sessions').where('projectId', '=', projectId).where('generation', '=', generation);
  return owned.where('deletedAt', 'is', null);
}

type Only = NonNullable<SessionPage['only']>;

function selectSessions(db: Executor, scope: Scope, only: Only | null): Visible {
  if (only === null) return visible(db, scope);
  return only.areLiving ? living(db, scope, only) : ended(db, scope, only);
}

/**
 * Selects living sessions through an index by status, so that ended sessions are not read. Finds no resumable sessions.
 */
function living(db: Executor, { projectId, generation }: Scope, { living: states }: Only): Visible {
  return (
    db
      .selectFrom('sessions')
      .where('projectId', '=', projectId)
      .where('resumable', '=', 0)
      .where('status', 'in', [...states])
      // The expressions keep SQLite from using the index of lists, which also contains all ended sessions.
      .where((eb) => eb(sql`generation || ''`, '=', generation))
      .where((eb) => eb(sql`coalesce(deleted_at, 0)`, '=', 0))
  );
}

/** Selects ended sessions through the index that lists use. Nearly all sessions have ended, so few rows are skipped. */
function ended(db: Executor, scope: Scope, { living: states }: Only): Visible {
  return visible(db, scope).where('status', 'not in', [...states]);
}

function inOrder(query: Visible) {
  return query.selectAll().orderBy('createdAt', 'desc').orderBy('id', 'desc');
}

async function totalOn(db: Executor, scope: Scope, { only = null }: SessionPage): Promise<number> {
  const what = sessionTotalKind(scope.generation);
  if (what === null) throw new Error(`no list of ${scope.generation} sessions shows its total`);
  const all = only?.areLiving === true ? 0 : await getTotal(db, scope.projectId, what);
  if (only === null) return all;
  const { count } = await living(db, scope, only)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return only.areLiving ? count : all - count;
}

/** Returns up to `limit` sessions of a scope after a position in the list, newest first. */
export function sessionsBehind(
  db: Executor,
  scope: Scope,
  { behind, limit }: { behind: { readonly createdAt: number; readonly id: string } | null; limit: number },
): Promise<SessionRow[]> {
  let query = db
    .selectFrom('sessions')
    .selectAll()
    .where('projectId', '=', scope.projectId)
    .where('generation', '=', scope.generation)
    .where('deletedAt', 'is', null)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit);
  if (behind !== null) {
    query = query.where((eb) =>
      eb.or([
        eb('createdAt', '<', behind.createdAt),
        eb.and([eb('createdAt', '=', behind.createdAt), eb('id', '<', behind.id)]),
      ]),
    );
  }
  return query.execute();
}

/** Sets the title of a session, or removes it if `title` is null. Returns the session. */
export async function rename(db: Database, session: SessionRow, title: string | null): Promise<SessionRow> {
  const wanted = { id: session.id, title };
  // A task that begins at the same time sets the title only if the session has none.
  await inTransaction(db, (trx) => setTitle(trx, wanted), { of: [session.id] });
  return sessionById(db, session.id);
}

async function setTitle(
  trx: Transaction,
  { id, title }: { readonly id: string; readonly title: string | null },
): Promise<void> {
  await trx.updateTable('sessions').set({ title }).where('id', '=', id).where('deletedAt', 'is', null).execute();
}

const addSession = preparedInsert('sessions');

/** Rows of a new session, and the conditions and further writes of the transaction that inserts these rows. */
interface FreshSession<Also> {
  readonly session: Insertable<SessionTable>;
  /** First task of the session, or null. */
  readonly run: Insertable<RunTable> | null;
  /** Workspace to create for the session, if any. */
  readonly workspace: Insertable<WorkspaceTable> | null;
  readonly activeMax: number;
  readonly living: readonly SessionStatus[];
  /** Further writes of the same transaction. */
  readonly also: (trx: Transaction) => Promise<Also>;
  /**
   * Whether `also` reads or writes rows beyond the session and its project. The scope of the transaction is then
   * `everything`.
   */
  readonly alsoMore: boolean;
  /**
   * Claim that the transaction must win to create the session, such as one start of a schedule; null without a claim.
   */
  readonly claim: SessionClaim | null;
}

/** A claim that only one of several concurrent session creations can win, such as one start of a schedule. */
export interface SessionClaim {
  /** Id of the claimed resource, which becomes part of the transaction's scope. */
  readonly of: string;
  /** Writes the claim; returns false, without a write, when it was claimed before. */
  readonly take: (trx: Transaction, sessionId: string) => Promise<boolean>;
}

/** Result of {@link insertSession} if another transaction won the claim first. */
export interface ClaimLost {
  readonly created: false;
  readonly isClaimLost: true;
}

/**
 * Inserts a session with its run, workspace and event. Inserts nothing and returns the reason if the profile is in use,
 * the claim is lost, or the project has reached its limit of active sandboxes. The limit is that of the project, else
 * `activeMax`.
 */
export function insertSession<Also>(
  db: Database,
  fresh: FreshSession<Also>,
): Promise<{ created: true; also: Also } | NotCreated | ClaimLost> {
  const { claim } = fresh;
  const scope = [fresh.session.id, fresh.session.projectId, ...(claim === null ? [] : [claim.of])] as const;
  return inTransaction(
    db,
    async (trx) => {
      const active = await countActive(trx, fresh.session.projectId, fresh.living);
      const limit = await projectActiveMax(trx, fresh.session.projectId, fresh.activeMax);
      if (active >= limit) return { created: false, active, limit };
      const profileHolder = await leaseFor(trx, fresh.session, fresh.session.createdAt);
      if (profileHolder !== null) return { created: false, profileHolder };
      if (claim !== null && !(await claim.take(trx, fresh.session.id))) {
        await releaseLease(trx, fresh.session.id);
        return { created: false, isClaimLost: true };
      }
      if (fresh.workspace !== null) await addWorkspace(trx, fresh.workspace);
      await addSession(trx, fresh.session);
      const { id, createdAt, projectId, generation } = fresh.session;
      const what = sessionTotalKind(generation);
      if (what !== null) await changeTotal(trx, { projectId, what, by: 1 });
      if (fresh.run !== null) await addRun(trx, fresh.run);
      const event = { sessionId: id, runId: fresh.run?.id ?? null, type: 'session.created', data: '{}', createdAt };
      await addEvent(trx, event);
      return { created: true, also: await fresh.also(trx) };
    },
    { of: fresh.alsoMore ? 'everything' : scope },
  );
}

/** Columns of a session to set, and its `id`. */
export interface SessionChange extends Updateable<Omit<SessionTable, 'id'>> {
  readonly id: string;
}

/** Sets columns of a session; columns that are undefined stay. */
export async function changeSession(db: Executor, change: SessionChange): Promise<void> {
  await updateSession(presentColumns(change)).run(db, change);
}

const updateSession = preparedBy((columns: readonly (keyof SessionChange)[]) =>
  prepared<SessionChange, unknown>(columns, (db, { id, ...set }) =>
    db.updateTable('sessions').set(set).where('id', '=', id),
  ),
);

/** Removes a session and its runs from every list; a deleted session may be marked again. */
export async function markDeleted(
  trx: Transaction,
  sessionId: string,
  mark: { readonly deletedAt: number; readonly purgeState?: SessionTable['purgeState'] },
): Promise<void> {
  await uncount(trx, sessionId);
  await trx.updateTable('sessions').set(mark).where('id', '=', sessionId).execute();
  await trx.updateTable('runs').set({ deletedAt: mark.deletedAt }).where('sessionId', '=', sessionId).execute();
}

async function uncount(trx: Transaction, sessionId: string): Promise<void> {
  const session = await trx
    .selectFrom('sessions')
    .select(['projectId', 'generation'])
    .where('id', '=', sessionId)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
  if (session === undefined) return;
  const { projectId, generation } = session;
  const [sessions, runs] = [sessionTotalKind(generation), runTotalKind(generation)];
  if (sessions !== null) await changeTotal(trx, { projectId, what: sessions, by: -1 });
  if (runs === null) return;
  const { count } = await trx
    .selectFrom('runs')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('sessionId', '=', sessionId)
    .executeTakeFirstOrThrow();
  await changeTotal(trx, { projectId, what: runs, by: -count });
}

/** Columns of a session from which its bill is computed. */
export type Metered = Pick<SessionRow, (typeof meteredColumns)[number]>;

const meteredColumns = [
  'id',
  'inputTokens',
  'outputTokens',
  'llmPicos',
  'proxyBytes',
  'browserMs',
  'browserSince',
] as const;

/** Returns the meters of all sessions of a project, deleted ones included. */
export function meteredSessions(db: Executor, projectId: string): Promise<Metered[]> {
  return db.selectFrom('sessions').select(meteredColumns).where('projectId', '=', projectId).execute();
}

/** Filter for the sessions and browsers that an API key has created since a time. */
export interface OpenedByKey {
  readonly keyId: string;
  /** Earliest time of creation, in milliseconds since the epoch. */
  readonly sinceMs: number;
}

/** Returns the meters of the sessions that a key has created since a time, deleted ones included. */
export function meteredSessionsOfKey(db: Executor, { keyId, sinceMs }: OpenedByKey): Promise<Metered[]> {
  return db
    .selectFrom('sessions')
    .select(meteredColumns)
    .where('keyId', '=', keyId)
    .where('createdAt', '>=', sinceMs)
    .execute();
}

/**
 * Stops the meter of a session's browser and adds the running time in milliseconds. Does nothing when another process
 * stopped the meter meanwhile.
 */
export async function closeMeter(db: Executor, session: Metered, ranMs: number): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ browserMs: session.browserMs + ranMs, browserSince: null })
    .where('id', '=', session.id)
    // Another process may be reclaiming the same sessions.
    .where('browserSince', '=', session.browserSince)
    .execute();
}

/**
 * Inserts a queued run of a starting session, with its event. Returns false when the session is not starting or has a
 * queued run.
 */
export function insertQueuedRun(
  db: Database,
  run: Insertable<RunTable> & { readonly createdAt: number },
): Promise<boolean> {
  const { sessionId } = run;
  return inTransaction(
    db,
    async (trx) => {
      const starting = await trx
        .selectFrom('sessions')
        .select('id')
        .where('id', '=', sessionId)
        .where('status', '=', sessionStatus.created)
        .executeTakeFirst();
      const waiting = await trx
        .selectFrom('runs')
        .select('id')
        .where('sessionId', '=', sessionId)
        .where('status', 'in', waitingRunStates)
        .executeTakeFirst();
      if (starting === undefined || waiting !== undefined) return false;
      await addRunWithEvent(trx, run);
      return true;
    },
    { of: [sessionId] },
  );
}

/** Returns the id of the process that owns a session; null for none. Throws for an unknown session. */
export async function sessionOwner(db: Executor, id: string): Promise<string | null> {
  const query = db.selectFrom('sessions').select('owner').where('id', '=', id);
  return (await query.executeTakeFirstOrThrow()).owner;
}

/** A session that needs a workspace, with the generator of the workspace's id and the current time. */
export type NewSessionWorkspace = Pick<SessionRow, 'id' | 'projectId'> & {
  readonly newId: () => string;
  readonly now: number;
};

/**
 * Returns the id of a session's workspace. If the session has none, creates a hidden workspace, which is removed with
 * the session. Returns null for a deleted session, and throws for an unknown session.
 */
export function ensureWorkspace(db: Database, session: NewSessionWorkspace): Promise<string | null> {
  return inTransaction(
    db,
    async (trx) => {
      const found = await trx
        .selectFrom('sessions')
        .select(['workspaceId', 'deletedAt'])
        .where('id', '=', session.id)
        .executeTakeFirstOrThrow();
      if (found.deletedAt !== null) return null;
      if (found.workspaceId !== null) return found.workspaceId;
      const id = session.newId();
      const times = { createdAt: session.now, updatedAt: session.now };
      await addWorkspace(trx, { id, projectId: session.projectId, ownerId: session.id, ...times });
      await trx.updateTable('sessions').set({ workspaceId: id }).where('id', '=', session.id).execute();
      return id;
    },
    { of: [session.id] },
  );
}
