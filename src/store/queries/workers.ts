import { type RawBuilder, type Selectable, sql } from 'kysely';
import { browserStatus, sessionStatus } from '#generated/states.ts';
import { getDialect } from '../dialect.ts';
import type { WorkerRole, WorkerTable } from '../tables/workers.ts';
import type { Executor } from '../executor.ts';

/** A process of the service as the database holds it. */
export type WorkerRow = Selectable<WorkerTable>;

/** Identity of a process. */
export interface NewWorker {
  readonly id: string;
  readonly role: WorkerRole;
  /** Public URL of the process. */
  readonly url: string;
}

/** Columns that name the owner of a sandbox. */
export interface OwnerColumns {
  readonly owner: string | null;
  readonly ownerUrl: string | null;
}

/** Owner columns of an unowned row. */
export const noOwner: OwnerColumns = { owner: null, ownerUrl: null };

/** Inserts a process with its first heartbeat. */
export async function registerWorker(db: Executor, worker: NewWorker): Promise<void> {
  await db
    .insertInto('workers')
    .values({ ...worker, heartbeatAt: databaseNow(db) })
    .execute();
}

/** Records a heartbeat of a process. Returns false if the process has left the service or was marked as dead. */
export async function sendHeartbeat(db: Executor, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('workers')
    .set({ heartbeatAt: databaseNow(db) })
    .where('id', '=', id)
    .where('buriedAt', 'is', null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Returns the processes that have not left the service and were not marked as dead. */
export function livingWorkers(db: Executor): Promise<WorkerRow[]> {
  return db.selectFrom('workers').selectAll().where('buriedAt', 'is', null).orderBy('id').execute();
}

/**
 * Marks earlier workers with the same URL as dead, because only one worker at a time can listen at a URL. Does nothing
 * for an API process, because API processes share a URL.
 */
export async function reclaimPredecessors(db: Executor, { id, role, url }: NewWorker): Promise<void> {
  if (role === 'api') return;
  await db
    .updateTable('workers')
    .set({ buriedAt: databaseNow(db) })
    .where('url', '=', url)
    .where('role', 'in', ['worker', 'all'])
    .where('id', '!=', id)
    .where('buriedAt', 'is', null)
    .execute();
}

/**
 * Factor by which an API process may be silent for longer than a worker before it counts as dead. An API process owns
 * no sandboxes, so its death needs no fast reaction.
 */
const apiSilenceFactor = 10;

/**
 * Marks processes as dead that sent no heartbeat for `silentMs`, or for ten times as long in the case of API processes.
 * Marks none if `silentMs` is null. Returns all processes that have left or are marked as dead and still have a row.
 */
export async function reclaimWorkers(
  db: Executor,
  silentMs: number | null,
): Promise<Pick<WorkerRow, 'id' | 'isDraining'>[]> {
  const now = databaseNow(db);
  if (silentMs !== null)
    await db
      .updateTable('workers')
      .set({ buriedAt: now })
      .where('buriedAt', 'is', null)
      .where((eb) =>
        eb.or([
          eb('role', '!=', 'api').and(sql<boolean>`heartbeat_at < ${now} - ${sql.lit(silentMs)}`),
          sql<boolean>`heartbeat_at < ${now} - ${sql.lit(silentMs * apiSilenceFactor)}`,
        ]),
      )
      .execute();
  return db.selectFrom('workers').select(['id', 'isDraining']).where('buriedAt', 'is not', null).execute();
}

/**
 * Marks a process as having left: it gets no new work, and its sessions and browsers are reclaimed as after its death.
 */
export async function reclaimWorker(db: Executor, id: string): Promise<void> {
  await db
    .updateTable('workers')
    .set({ buriedAt: databaseNow(db), isDraining: 1 })
    .where('id', '=', id)
    .where('buriedAt', 'is', null)
    .execute();
}

/** Returns whether a process has not left the service and was not marked as dead; false for an unknown process. */
export async function isWorkerAlive(db: Executor, id: string): Promise<boolean> {
  const query = db.selectFrom('workers').select('id').where('id', '=', id).where('buriedAt', 'is', null);
  return (await query.executeTakeFirst()) !== undefined;
}

/** Returns the time since the last heartbeat of a process in milliseconds; 0 for an unknown process. */
export async function getSilenceMs(db: Executor, id: string): Promise<number> {
  const now = databaseNow(db);
  const row = await db
    .selectFrom('workers')
    .select(sql<number>`${now} - heartbeat_at`.as('silent'))
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.silent ?? 0;
}

/** Excludes a process from new work. */
export async function drainWorker(db: Executor, id: string): Promise<void> {
  await db.updateTable('workers').set({ isDraining: 1 }).where('id', '=', id).execute();
}

/** Returns whether a process is excluded from new work; false for an unknown process. */
export async function isDraining(db: Executor, id: string): Promise<boolean> {
  const row = await db.selectFrom('workers').select('isDraining').where('id', '=', id).executeTakeFirst();
  return row?.isDraining === 1;
}

/**
 * Deletes the rows of processes that left or were marked as dead more than `reclaimedForMs` milliseconds ago. By then,
 * no other process can still assign work to them.
 */
export async function forgetWorkers(db: Executor, reclaimedForMs: number): Promise<void> {
  await db
    .deleteFrom('workers')
    .where('buriedAt', 'is not', null)
    .where(sql<boolean>`buried_at < ${databaseNow(db)} - ${sql.lit(reclaimedForMs)}`)
    .execute();
}

/**
 * Returns the non-draining worker with the fewest sandboxes; {@link noOwner} without such a worker. `turn`, an
 * increasing number, selects one of several workers with equally few sandboxes, so that concurrent requests spread over
 * workers.
 */
export async function findLeastLoadedWorker(db: Executor, turn: number): Promise<OwnerColumns> {
  const rows = await db
    .selectFrom('workers')
    .select(['id', 'url'])
    .where('role', 'in', ['worker', 'all'])
    .where('isDraining', '=', 0)
    .where('buriedAt', 'is', null)
    .orderBy('id')
    .execute();
  if (rows.length < 2) return toOwnerColumns(rows[0]);
  const owned = await liveSandboxes(db);
  const start = turn % rows.length;
  const inTurn = [...rows.slice(start), ...rows.slice(0, start)];
  return toOwnerColumns(inTurn.toSorted((a, b) => (owned.get(a.id) ?? 0) - (owned.get(b.id) ?? 0))[0]);
}

/** Returns the URL of the current or last owner of a session or standalone browser; null for none. */
export async function findOwnerUrl(db: Executor, id: string): Promise<string | null> {
  const session = await db.selectFrom('sessions').select('ownerUrl').where('id', '=', id).executeTakeFirst();
  const row = session ?? (await db.selectFrom('browsers').select('ownerUrl').where('id', '=', id).executeTakeFirst());
  return row?.ownerUrl ?? null;
}

/** The owner of a session or standalone browser, and whether that session or browser has not ended. */
export interface FoundOwner {
  readonly owner: string | null;
  readonly isLiving: boolean;
}

/** Returns the owner of a session or standalone browser; null for an unknown id. */
export async function findOwner(db: Executor, table: 'sessions' | 'browsers', id: string): Promise<FoundOwner | null> {
  const row = await db.selectFrom(table).select(['owner', 'status']).where('id', '=', id).executeTakeFirst();
  return row === undefined ? null : { owner: row.owner, isLiving: livingStatuses.has(row.status) };
}

const livingSessions = [sessionStatus.created, sessionStatus.running, sessionStatus.idle];
const livingStatuses: ReadonlySet<string> = new Set([...livingSessions, browserStatus.active]);

function toOwnerColumns(row: { readonly id: string; readonly url: string } | undefined): OwnerColumns {
  return row === undefined ? noOwner : { owner: row.id, ownerUrl: row.url };
}

/** Returns the SQL of the current time in milliseconds since the epoch, by the clock of the database. */
function databaseNow(db: Executor): RawBuilder<number> {
  return getDialect(db) === 'postgres'
    ? sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`
    : sql<number>`cast(unixepoch('subsec') * 1000 as integer)`;
}

/** Counts living sessions and active browsers per worker; workers without any are absent. */
async function liveSandboxes(db: Executor): Promise<ReadonlyMap<string, number>> {
  const sessions = await db
    .selectFrom('sessions')
    .select((eb) => ['owner', eb.fn.countAll<number>().as('count')])
    .where('owner', 'is not', null)
    .where('status', 'in', livingSessions)
    .groupBy('owner')
    .execute();
  const browsers = await db
    .selectFrom('browsers')
    .select((eb) => ['owner', eb.fn.countAll<number>().as('count')])
    .where('owner', 'is not', null)
    .where('status', '=', browserStatus.active)
    .groupBy('owner')
    .execute();
  const owned = new Map<string, number>();
  for (const { owner, count } of [...sessions, ...browsers])
    if (owner !== null) owned.set(owner, (owned.get(owner) ?? 0) + count);
  return owned;
}
