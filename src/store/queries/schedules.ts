import type { Insertable, Selectable } from 'kysely';
import type { Database } from '../database.ts';
import type { ScheduleStartTable, ScheduleTable } from '../tables/accounts.ts';
import { inTransaction, type Transaction } from '../transaction.ts';
import type { Executor } from '../executor.ts';

/** A schedule as the database holds it. */
export type ScheduleRow = Selectable<ScheduleTable>;
/** A start of a schedule as the database holds it. */
export type ScheduleStartRow = Selectable<ScheduleStartTable>;

/** Limits for the number of schedules. `ofProject` limits the schedules of a project that have not ended. */
export interface ScheduleBounds {
  readonly ofProject: number;
  /** Maximum number of schedules that the agent of one session may propose; ended schedules count too. */
  readonly ofSession: number;
}

/** Inserts a schedule unless a limit is reached. Returns null, or the limit that is reached. */
export function insertSchedule(
  db: Database,
  schedule: Insertable<ScheduleTable>,
  bounds: ScheduleBounds,
): Promise<number | null> {
  return inTransaction(
    db,
    async (trx) => {
      const { projectId, proposedBy: sessionId = null } = schedule;
      if ((await countOpen(trx, projectId)) >= bounds.ofProject) return bounds.ofProject;
      if (sessionId !== null && (await countProposed(trx, sessionId)) >= bounds.ofSession) return bounds.ofSession;
      await trx.insertInto('schedules').values(schedule).execute();
      return null;
    },
    { of: [schedule.projectId] },
  );
}

async function countOpen(trx: Transaction, projectId: string): Promise<number> {
  const { count } = await trx
    .selectFrom('schedules')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('projectId', '=', projectId)
    .where('status', '!=', 'ended')
    .executeTakeFirstOrThrow();
  return count;
}

async function countProposed(trx: Transaction, sessionId: string): Promise<number> {
  const { count } = await trx
    .selectFrom('schedules')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('proposedBy', '=', sessionId)
    .executeTakeFirstOrThrow();
  return count;
}

/**
 * Returns up to `limit` schedules of a project: ended schedules come last, and in each group the newest comes first.
 */
export function listSchedules(db: Executor, projectId: string, limit: number): Promise<ScheduleRow[]> {
  return db
    .selectFrom('schedules')
    .selectAll()
    .where('projectId', '=', projectId)
    .orderBy((eb) => eb.case().when('status', '=', 'ended').then(1).else(0).end())
    .orderBy('createdAt', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/**
 * Returns the latest start of each of the given schedules, by the id of the schedule. A schedule that was never started
 * is absent.
 */
export async function latestStarts(
  db: Executor,
  scheduleIds: readonly string[],
): Promise<ReadonlyMap<string, ScheduleStartRow>> {
  if (scheduleIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('schedule_starts')
    .selectAll()
    .where('scheduleId', 'in', scheduleIds)
    .where('dueAt', '=', (eb) =>
      eb
        .selectFrom('schedule_starts as later')
        .select((later) => later.fn.max('later.dueAt').as('dueAt'))
        .whereRef('later.scheduleId', '=', 'schedule_starts.scheduleId'),
    )
    .execute();
  return new Map(rows.map((row) => [row.scheduleId, row]));
}

/** Due schedules to read: those whose time is at most `nowMs` and, unless `after` is null, later than `after`. */
export interface DuePage {
  readonly nowMs: number;
  readonly after: Pick<ScheduleRow, 'id' | 'nextAt'> | null;
  readonly limit: number;
}

/** Returns a page of the active schedules whose time has come, the earliest first; equal times are ordered by id. */
export function dueSchedules(db: Executor, { nowMs, after, limit }: DuePage): Promise<ScheduleRow[]> {
  return db
    .selectFrom('schedules')
    .selectAll()
    .where('status', '=', 'active')
    .where('nextAt', '<=', nowMs)
    .$if(after !== null, (query) =>
      query.where((eb) =>
        eb.or([
          eb('nextAt', '>', after?.nextAt ?? 0),
          eb.and([eb('nextAt', '=', after?.nextAt ?? 0), eb('id', '>', after?.id ?? '')]),
        ]),
      ),
    )
    .orderBy('nextAt')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** One start of a schedule to record. */
export interface ScheduleClaim {
  readonly schedule: Pick<ScheduleRow, 'id' | 'nextAt'>;
  readonly nowMs: number;
  /** Due time of the start after this start; null when this start is the last. */
  readonly nextAtMs: number | null;
  /** Id of the session that runs the task, or the reason why no session was created. */
  readonly outcome: { readonly sessionId: string } | { readonly refusal: string };
  /** Recorded starts that were due before this time are deleted. */
  readonly keptFromMs: number;
}

/**
 * Records the start of a schedule that is due now, and sets the time of its next start. Returns false, without a write,
 * when another process has recorded this start or the schedule has ended. The scope of the transaction must name the
 * schedule.
 */
export async function claimStart(
  trx: Transaction,
  { schedule: { id, nextAt: dueAt }, nowMs, nextAtMs, outcome, keptFromMs }: ScheduleClaim,
): Promise<boolean> {
  if (dueAt === null) return false;
  const moved = await trx
    .updateTable('schedules')
    .set({ nextAt: nextAtMs, ...(nextAtMs === null ? { status: 'ended', endedAt: nowMs } : {}) })
    .where('id', '=', id)
    .where('status', '=', 'active')
    .where('nextAt', '=', dueAt)
    .executeTakeFirst();
  if (moved.numUpdatedRows === 0n) return false;
  const [sessionId, refusal] = 'sessionId' in outcome ? [outcome.sessionId, null] : [null, outcome.refusal];
  await trx
    .insertInto('schedule_starts')
    .values({ scheduleId: id, dueAt, startedAt: nowMs, sessionId, refusal })
    .execute();
  await trx.deleteFrom('schedule_starts').where('scheduleId', '=', id).where('dueAt', '<', keptFromMs).execute();
  return true;
}

/** Records a refused start: calls {@link claimStart} in a transaction of its own, and returns its result. */
export function recordRefusal(db: Database, claim: ScheduleClaim): Promise<boolean> {
  return inTransaction(db, (trx) => claimStart(trx, claim), { of: [claim.schedule.id] });
}

/** A change of the status of a schedule. */
export interface ScheduleChange {
  readonly projectId: string;
  readonly id: string;
  readonly from: readonly ScheduleTable['status'][];
  /** Returns the columns to set, computed from the current row. */
  readonly set: (
    row: ScheduleRow,
  ) => Pick<Insertable<ScheduleTable>, 'status' | 'nextAt'> & { readonly endedAt?: number };
}

/**
 * Changes a schedule of a project and returns it; null for an unknown schedule. A schedule whose status is not in
 * `from` stays unchanged.
 */
export function changeSchedule(
  db: Database,
  { projectId, id, from, set }: ScheduleChange,
): Promise<ScheduleRow | null> {
  return inTransaction(
    db,
    async (trx) => {
      const all = trx.selectFrom('schedules').selectAll().where('id', '=', id).where('projectId', '=', projectId);
      const row = await all.executeTakeFirst();
      if (row === undefined) return null;
      if (!from.includes(row.status)) return row;
      const update = trx.updateTable('schedules').set(set(row)).where('id', '=', id);
      return update.returningAll().executeTakeFirstOrThrow();
    },
    { of: [id] },
  );
}
