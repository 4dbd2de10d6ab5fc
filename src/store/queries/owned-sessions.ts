import { type SessionStatus, sessionStatus } from '#generated/states.ts';
import type { Database } from '../database.ts';
import type { SessionRow } from '../tables/sessions.ts';
import { inTransaction, type Transaction } from '../transaction.ts';
import { releaseLease } from './profiles.ts';
import { activeRun } from './runs.ts';
import { noOwner, type OwnerColumns } from './workers.ts';
import type { Executor } from '../executor.ts';

/** Statuses of sessions whose owner works on them. */
const working = [sessionStatus.created, sessionStatus.running];
const living = [sessionStatus.created, sessionStatus.idle, sessionStatus.running];

/** A session with its status. */
export type SessionState = Pick<SessionRow, 'id' | 'status'>;

/** Returns the living sessions of an owner; without `owner`, all living sessions, including unowned sessions. */
export function livingSessions(db: Executor, owner?: string): Promise<SessionState[]> {
  const all = db.selectFrom('sessions').select(['id', 'status']).where('status', 'in', living);
  return (owner === undefined ? all : all.where('owner', '=', owner)).execute();
}

/**
 * Takes ownership of up to `limit` unowned sessions in the state `created` or `running`, the oldest first. Returns the
 * sessions that were taken: another process may have taken some of them first.
 */
export async function takeUnowned(db: Executor, owner: OwnerColumns, limit: number): Promise<SessionRow[]> {
  const rows = await db
    .selectFrom('sessions')
    .select('id')
    .where('owner', 'is', null)
    .where('status', 'in', working)
    .orderBy('createdAt')
    .limit(limit)
    .execute();
  const taken: SessionRow[] = [];
  for (const { id } of rows) {
    const row = await db
      .updateTable('sessions')
      .set(owner)
      .where('id', '=', id)
      .where('owner', 'is', null)
      .where('status', 'in', working)
      .returningAll()
      .executeTakeFirst();
    if (row !== undefined) taken.push(row);
  }
  return taken;
}

/** Returns the created and running sessions of an owner. `owner` is null in a single-process service. */
export function workingSessions(db: Executor, owner: string | null): Promise<SessionRow[]> {
  return (
    db
      .selectFrom('sessions')
      .selectAll()
      // Names both values, so that SQLite can use an index that begins with `resumable`.
      .where('resumable', 'in', [0, 1])
      .where('status', 'in', working)
      .where('owner', 'is not distinct from', owner)
      .execute()
  );
}

/** Returns the ids of an owner's idle sessions. */
export async function idleSessions(db: Executor, owner: string): Promise<string[]> {
  const query = db.selectFrom('sessions').select('id').where('owner', '=', owner);
  return (await query.where('status', '=', sessionStatus.idle).execute()).map(({ id }) => id);
}

/** Returns a session within a transaction, if it is idle and `owner` owns it; otherwise undefined. */
export function idleSessionIn(trx: Transaction, id: string, owner: string): Promise<SessionRow | undefined> {
  return trx
    .selectFrom('sessions')
    .selectAll()
    .where('id', '=', id)
    .where('owner', '=', owner)
    .where('status', '=', sessionStatus.idle)
    .executeTakeFirst();
}

/** Clears the owner of an idle session; does nothing when the session has another owner or status. */
export async function releaseIdleSession(db: Executor, id: string, owner: string): Promise<void> {
  await db
    .updateTable('sessions')
    .set(noOwner)
    .where('id', '=', id)
    .where('owner', '=', owner)
    .where('status', '=', sessionStatus.idle)
    .execute();
}

/**
 * Clears the owner of a session whose worker died; does nothing if the session has another owner. Also releases the
 * profile lock, because the browser died with the worker, unless the session has not started yet.
 */
export function freeSession(db: Database, id: string, owner: string): Promise<void> {
  return inTransaction(
    db,
    async (trx) => {
      const row = await trx
        .updateTable('sessions')
        .set(noOwner)
        .where('id', '=', id)
        .where('owner', '=', owner)
        .returning('status')
        .executeTakeFirst();
      if (row !== undefined && row.status !== sessionStatus.created) await releaseLease(trx, id);
    },
    { of: [id] },
  );
}

/**
 * Adds traffic to a session that `owner` owns, and to the active run of this session. Returns false when the bill of
 * the session is closed, the session has another owner, or `owner` is null.
 */
export function addTraffic(
  db: Database,
  id: string,
  { bytes, owner }: { readonly bytes: number; readonly owner: string | null },
): Promise<boolean> {
  return inTransaction(
    db,
    async (trx) => {
      const { numUpdatedRows } = await trx
        .updateTable('sessions')
        .set((eb) => ({ proxyBytes: eb('proxyBytes', '+', bytes) }))
        .where('id', '=', id)
        .where('owner', '=', owner)
        // The bill of an ended browser does not change.
        .where('browserSince', 'is not', null)
        .executeTakeFirstOrThrow();
      if (numUpdatedRows === 0n) return false;
      const run = await activeRun(trx, id);
      if (run !== undefined)
        await trx
          .updateTable('runs')
          .set((eb) => ({ proxyBytes: eb('proxyBytes', '+', bytes) }))
          .where('id', '=', run)
          .execute();
      return true;
    },
    { of: [id] },
  );
}

/** An idle session and the time of its last use, in milliseconds since the epoch. */
export interface IdleSession {
  readonly id: string;
  readonly activeAtMs: number;
}

/** Filter for idle sessions that were last used at a time or before; null for all. */
interface IdleFilter {
  readonly usedBefore: number | null;
}

/**
 * Returns up to `limit` idle sessions that can time out (not resumable), the least recently used first. The sessions
 * have no owner or belong to `owner`. If `owner` is null, as in a single-process service, returns sessions of every
 * owner.
 */
export async function timeoutCandidates(
  db: Executor,
  owner: string | null,
  { usedBefore, limit }: IdleFilter & { readonly limit: number | null },
): Promise<IdleSession[]> {
  let query = db
    .selectFrom('sessions')
    .select(['id', 'activeAt'])
    .where('status', '=', sessionStatus.idle)
    .where('resumable', '=', 0);
  if (owner !== null) query = query.where((eb) => eb.or([eb('owner', 'is', null), eb('owner', '=', owner)]));
  if (usedBefore !== null) query = query.where('activeAt', '<=', usedBefore);
  if (limit !== null) query = query.limit(limit);
  const rows = await query.orderBy('activeAt').execute();
  return rows.map(({ id, activeAt: activeAtMs }) => ({ id, activeAtMs }));
}

/** Returns those of the given sessions that are idle, resumable and have a browser, the most recently used first. */
export async function idleSessionsWithBrowser(
  db: Executor,
  ids: readonly string[],
  { usedBefore }: IdleFilter,
): Promise<IdleSession[]> {
  if (ids.length === 0) return [];
  let query = db
    .selectFrom('sessions')
    .select(['id', 'activeAt'])
    .where('id', 'in', [...ids])
    .where('status', '=', sessionStatus.idle)
    .where('resumable', '=', 1)
    .where('browserSince', 'is not', null);
  if (usedBefore !== null) query = query.where('activeAt', '<=', usedBefore);
  const rows = await query.orderBy('activeAt', 'desc').execute();
  return rows.map(({ id, activeAt: activeAtMs }) => ({ id, activeAtMs }));
}

/** Conditions under which the browser of a session may be released. */
export interface ReleaseQuery {
  readonly id: string;
  /** Latest time of the last use at which the browser may be released, in milliseconds since the epoch. */
  readonly usedBefore: number;
  readonly statuses: readonly SessionStatus[];
  readonly resumable: readonly (0 | 1)[];
}

/**
 * Returns the session with the id of the query, within a transaction; undefined if the session has no browser or does
 * not meet a condition.
 */
export function releasableSession(trx: Transaction, wanted: ReleaseQuery): Promise<SessionRow | undefined> {
  return trx
    .selectFrom('sessions')
    .selectAll()
    .where('id', '=', wanted.id)
    .where('status', 'in', [...wanted.statuses])
    .where('resumable', 'in', [...wanted.resumable])
    .where('activeAt', '<=', wanted.usedBefore)
    .where('browserSince', 'is not', null)
    .executeTakeFirst();
}
