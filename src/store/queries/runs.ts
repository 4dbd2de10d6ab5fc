import { type SelectQueryBuilder, sql, type Updateable } from 'kysely';
import { activeRunStates, waitingRunStates } from '#contract/lifecycle.ts';
import { runState } from '#generated/states.ts';
import { type MaybePromise, whenResolved } from '#lib/maybe-promise.ts';
import type { Database } from '../database.ts';
import { prepared } from '../prepare.ts';
import type { EventRow, RunOfSession, RunRow, RunTable, StepRow } from '../tables/runs.ts';
import type { Scope, SessionRow } from '../tables/sessions.ts';
import type { Tables } from '../tables/tables.ts';
import { inTransaction, type Transaction } from '../transaction.ts';
import { runTotalKind, getTotal } from './counts.ts';
import { addEvent } from './inserts.ts';
import { findSession } from './sessions.ts';
import type { Executor } from '../executor.ts';

/**
 * Filter for runs of a scope; a member that is absent or null does not restrict the selection. `after` and `before` are
 * exclusive bounds of the creation time, in milliseconds since the epoch.
 */
export interface RunFilter {
  readonly sessionId?: string | null;
  readonly statuses?: readonly RunTable['status'][] | null;
  readonly after?: number | null;
  readonly before?: number | null;
}

/** Position of a run in lists, which are sorted newest first. */
export interface RunPlace {
  readonly createdAt: number;
  readonly id: string;
}

/** Returns the run with the given id if the scope may see its session, else null. */
export function findRun(db: Executor, scope: Scope, id: string): MaybePromise<RunOfSession | null> {
  return whenResolved(runWithId.read(db, { id: id.toLowerCase() }), ([run]) => {
    if (run?.projectId !== scope.projectId || run.generation !== scope.generation || run.deletedAt !== null)
      return null;
    return whenResolved(findSession(db, scope, run.sessionId), (session) =>
      session === null ? null : { run, session },
    );
  });
}

const runWithId = prepared<ById, RunRow>(['id'], (db, { id }) =>
  db.selectFrom('runs').selectAll().where('id', '=', id),
);

interface ById {
  readonly id: string;
}

/** Returns one page of the runs of a scope, newest first, and their total. Page numbers start at 1. */
export async function pageOfRuns(
  db: Executor,
  scope: Scope,
  { filter, page, pageSize }: { filter: RunFilter; page: number; pageSize: number },
): Promise<{ rows: RunOfSession[]; total: number }> {
  const runs = await newestFirst(visible(db, scope, filter))
    .limit(pageSize)
    .offset((page - 1) * pageSize)
    .execute();
  return { rows: await withSessions(db, runs), total: await totalOn(db, scope, filter) };
}

/**
 * Returns the number of runs that a filter selects. Without a restriction, reads the stored total if the API version
 * has one.
 */
async function totalOn(db: Executor, scope: Scope, filter: RunFilter): Promise<number> {
  const what = runTotalKind(scope.generation);
  const isAll = Object.values(filter).every((value) => value === null || value === undefined);
  if (isAll && what !== null) return getTotal(db, scope.projectId, what);
  const { total } = await visible(db, scope, filter)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

/** Returns up to `limit` runs of a scope after a position in the list, newest first. */
export async function runsBehind(
  db: Executor,
  scope: Scope,
  { filter, behind, limit }: { filter: RunFilter; behind: RunPlace | null; limit: number },
): Promise<RunOfSession[]> {
  let query = newestFirst(visible(db, scope, filter)).limit(limit);
  if (behind !== null) {
    query = query.where((eb) =>
      eb.or([
        eb('runs.createdAt', '<', behind.createdAt),
        eb.and([eb('runs.createdAt', '=', behind.createdAt), eb('runs.id', '<', behind.id)]),
      ]),
    );
  }
  return withSessions(db, await query.execute());
}

/** Returns the oldest run of a session that waits for the start of the sandbox; undefined for none. */
export async function queuedRun(db: Executor, sessionId: string): Promise<QueuedRun | undefined> {
  const [run] = await waitingRun.read(db, { sessionId });
  return run;
}

/**
 * Sets the status of the queued run of a session, if it has one, to dispatching, because this process now starts the
 * sandbox.
 */
export async function dispatchWaiting(db: Database, sessionId: string): Promise<void> {
  if ((await queuedRun(db, sessionId)) === undefined) return;
  await inTransaction(
    db,
    async (trx) => {
      await trx
        .updateTable('runs')
        .set({ status: runState.dispatching })
        .where('sessionId', '=', sessionId)
        .where('status', '=', runState.queued)
        .execute();
    },
    { of: [sessionId] },
  );
}

/** Returns the settings of the queued and running runs of a session. */
export async function openRuns(db: Executor, sessionId: string): Promise<readonly Pick<RunRow, 'settings'>[]> {
  return settingsOfOpen.read(db, { sessionId });
}

interface OfSession {
  readonly sessionId: string;
}

const settingsOfOpen = prepared<OfSession, Pick<RunRow, 'settings'>>(['sessionId'], (db, { sessionId }) =>
  db
    .selectFrom('runs')
    .select('settings')
    .where('sessionId', '=', sessionId)
    .where(
      'status',
      'in',
      activeRunStates.map((state) => sql.lit(state)),
    ),
);

interface QueuedRun {
  readonly id: string;
  readonly task: string;
  readonly traceParent: string | null;
}

const waitingRun = prepared<OfSession, QueuedRun>(['sessionId'], (db, { sessionId }) =>
  db
    .selectFrom('runs')
    .select(['id', 'task', 'traceParent'])
    .where('sessionId', '=', sessionId)
    .where(
      'status',
      'in',
      waitingRunStates.map((state) => sql.lit(state)),
    )
    .orderBy('createdAt')
    .limit(sql.lit(1)),
);

/** Returns the id of the queued or running run of a session; undefined for none. */
export async function activeRun(db: Executor, sessionId: string): Promise<string | undefined> {
  const run = await db
    .selectFrom('runs')
    .select('id')
    .where('sessionId', '=', sessionId)
    .where('status', 'in', activeRunStates)
    .executeTakeFirst();
  return run?.id;
}

/** Returns the run with an id, in any project. Throws if the run does not exist. */
export function runById(db: Executor, id: string): Promise<RunRow> {
  return db.selectFrom('runs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

/** The columns of a run that a process needs to work on it. */
export type RunReference = Pick<RunRow, 'id' | 'task' | 'traceParent'>;

/** Returns the columns of a run that a process needs to work on it; undefined for an unknown run. */
export function runReference(db: Executor, id: string): Promise<RunReference | undefined> {
  return db.selectFrom('runs').select(['id', 'task', 'traceParent']).where('id', '=', id).executeTakeFirst();
}

/** Returns the running run of a session; undefined for none. */
export function runningRun(db: Executor, sessionId: string): Promise<RunReference | undefined> {
  return db
    .selectFrom('runs')
    .select(['id', 'task', 'traceParent'])
    .where('sessionId', '=', sessionId)
    .where('status', '=', runState.running)
    .executeTakeFirst();
}

/** Returns a run whose session is not deleted, of any project; undefined for none. */
export function findVisibleRun(db: Executor, id: string): Promise<RunRow | undefined> {
  return db
    .selectFrom('runs')
    .innerJoin('sessions', 'sessions.id', 'runs.sessionId')
    .selectAll('runs')
    .where('runs.id', '=', id)
    .where('sessions.deletedAt', 'is', null)
    .executeTakeFirst();
}

/** Returns the latest run of a session. Throws for a session without runs. */
export async function latestRun(db: Executor, session: SessionRow): Promise<RunOfSession> {
  const run = await db
    .selectFrom('runs')
    .selectAll()
    .where('sessionId', '=', session.id)
    .orderBy('createdAt', 'desc')
    .orderBy('startedAt', (order) => order.desc().nullsLast())
    .limit(1)
    .executeTakeFirstOrThrow();
  return { run, session };
}

/** Returns all runs of a session, oldest first. */
export async function runsIn(db: Executor, session: SessionRow): Promise<RunOfSession[]> {
  const runs = await db
    .selectFrom('runs')
    .selectAll()
    .where('sessionId', '=', session.id)
    .orderBy('createdAt')
    .orderBy('id')
    .execute();
  return runs.map((run) => ({ run, session }));
}

/** Returns the latest runs of a session, at most `limit`, oldest first. */
export async function latestRunsIn(db: Executor, session: SessionRow, limit: number): Promise<RunOfSession[]> {
  const newest = await db
    .selectFrom('runs')
    .selectAll()
    .where('sessionId', '=', session.id)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return newest.toReversed().map((run) => ({ run, session }));
}

/** Filter for the ended runs of a session. */
interface EndedRunsFilter {
  readonly sessionId: string;
  /** Id of the run that is left out. */
  readonly without: string;
  readonly limit: number;
}

/** Returns the latest ended runs of a session, at most `limit`, oldest first. Leaves out the run `without`. */
export async function endedRuns(
  db: Executor,
  { sessionId, without, limit }: EndedRunsFilter,
): Promise<Pick<RunRow, 'task' | 'output' | 'reason'>[]> {
  const newest = await db
    .selectFrom('runs')
    .select(['task', 'output', 'reason'])
    .where('sessionId', '=', sessionId)
    .where('id', '!=', without)
    .where('endedAt', 'is not', null)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return newest.toReversed();
}

/** Returns the steps of a run, oldest first. */
export function readRunSteps(db: Executor, runId: string): Promise<StepRow[]> {
  return db.selectFrom('steps').selectAll().where('runId', '=', runId).orderBy('id').execute();
}

/** Returns the latest steps of a run, at most `limit`, oldest first. */
export async function latestRunSteps(db: Executor, runId: string, limit: number): Promise<StepRow[]> {
  const steps = db.selectFrom('steps').selectAll().where('runId', '=', runId);
  return (await steps.orderBy('id', 'desc').limit(limit).execute()).toReversed();
}

/** Returns the oldest events of a run, at most `limit`: those of the named types whose id is above `after`. */
export function readRunEvents(
  db: Executor,
  runId: string,
  { after, limit, types }: { after: number; limit: number; types: readonly string[] },
): Promise<EventRow[]> {
  return db
    .selectFrom('events')
    .selectAll()
    .where('runId', '=', runId)
    .where('id', '>', after)
    .where('type', 'in', [...types])
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Returns whether a run has an event of that type. */
export async function hasRunEvent(db: Executor, runId: string, type: string): Promise<boolean> {
  const query = db.selectFrom('events').select('id').where('runId', '=', runId).where('type', '=', type).limit(1);
  return (await query.executeTakeFirst()) !== undefined;
}

type Visible = SelectQueryBuilder<Tables, 'runs', object>;

function visible(db: Executor, scope: Scope, filter: RunFilter): Visible {
  let query: Visible = db
    .selectFrom('runs')
    .where('runs.projectId', '=', scope.projectId)
    .where('runs.generation', '=', scope.generation)
    .where('runs.deletedAt', 'is', null);
  if (typeof filter.sessionId === 'string') query = query.where('runs.sessionId', '=', filter.sessionId.toLowerCase());
  if (Array.isArray(filter.statuses)) query = query.where('runs.status', 'in', [...filter.statuses]);
  if (typeof filter.after === 'number') query = query.where('runs.createdAt', '>', filter.after);
  if (typeof filter.before === 'number') query = query.where('runs.createdAt', '<', filter.before);
  return query;
}

function newestFirst(query: Visible) {
  return query.selectAll('runs').orderBy('runs.createdAt', 'desc').orderBy('runs.id', 'desc');
}

async function withSessions(db: Executor, runs: readonly RunRow[]): Promise<RunOfSession[]> {
  if (runs.length === 0) return [];
  const ids = [...new Set(runs.map((run) => run.sessionId))];
  const sessions = await db.selectFrom('sessions').selectAll().where('id', 'in', ids).execute();
  const byId = new Map(sessions.map((session) => [session.id, session]));
  return runs.flatMap((run) => {
    const session = byId.get(run.sessionId);
    return session === undefined ? [] : [{ run, session }];
  });
}

/** Returns the state of a run. Throws for an unknown run. */
export async function statusOfRun(db: Executor, id: string): Promise<RunRow['status']> {
  return found(id, await status.read(db, { id })).status;
}

const status = prepared<ById, Pick<RunRow, 'status'>>(['id'], (db, { id }) =>
  db.selectFrom('runs').select(['status']).where('id', '=', id),
);

/** Returns the end of a run in milliseconds since the epoch; null before its end. Throws for an unknown run. */
export async function endOfRun(db: Executor, id: string): Promise<number | null> {
  return found(id, await end.read(db, { id })).endedAt;
}

const end = prepared<ById, Pick<RunRow, 'endedAt'>>(['id'], (db, { id }) =>
  db.selectFrom('runs').select(['endedAt']).where('id', '=', id),
);

/** Returns the encrypted secrets of a run; null without secrets. Throws for an unknown run. */
export async function sealedRunSecrets(db: Executor, id: string): Promise<string | null> {
  return found(id, await secrets.read(db, { id })).secrets;
}

const secrets = prepared<ById, Pick<RunRow, 'secrets'>>(['id'], (db, { id }) =>
  db.selectFrom('runs').select(['secrets']).where('id', '=', id),
);

/** Returns the model, its parameters and the settings of a run. Throws for an unknown run. */
export async function readRunOrder(
  db: Executor,
  id: string,
): Promise<Pick<RunRow, 'model' | 'modelParams' | 'settings'>> {
  return found(id, await order.read(db, { id }));
}

const order = prepared<ById, Pick<RunRow, 'model' | 'modelParams' | 'settings'>>(['id'], (db, { id }) =>
  db.selectFrom('runs').select(['model', 'modelParams', 'settings']).where('id', '=', id),
);

function found<Row>(id: string, [row]: readonly Row[]): Row {
  if (row === undefined) throw new Error(`there is no run ${id}`);
  return row;
}

/** Returns the thinking level of a run; null for none. Throws for an unknown run. */
export async function thinkingLevel(db: Executor, id: string): Promise<string | null> {
  const row = await db.selectFrom('runs').select('thinkingLevel').where('id', '=', id).executeTakeFirstOrThrow();
  return row.thinkingLevel;
}

/** Returns whether a run or its session has a cost limit. Throws for an unknown run. */
export async function hasCostLimit(db: Executor, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('runs')
    .innerJoin('sessions', 'sessions.id', 'runs.sessionId')
    .select(['runs.maxCostMicros as ofRun', 'sessions.maxCostMicros as ofSession'])
    .where('runs.id', '=', id)
    .executeTakeFirstOrThrow();
  return row.ofRun !== null || row.ofSession !== null;
}

/** A new title for a run. It also becomes the title of the session, if the title of the session is still `replaces`. */
export interface RunTitle {
  readonly sessionId: string;
  readonly runId: string;
  readonly title: string;
  readonly replaces: string;
}

/**
 * Sets the title of a run that is still running. Also sets the title of its session if that title is still `replaces`.
 */
export function nameRun(db: Database, { sessionId, runId, title, replaces }: RunTitle): Promise<void> {
  return inTransaction(
    db,
    async (trx) => {
      const named = await trx
        .updateTable('runs')
        .set({ title })
        .where('id', '=', runId)
        .where('status', '=', runState.running)
        .executeTakeFirst();
      if (named.numUpdatedRows === 0n) return;
      await trx
        .updateTable('sessions')
        .set({ title })
        .where('id', '=', sessionId)
        .where('title', '=', replaces)
        .execute();
    },
    { of: [sessionId] },
  );
}

/** Sets the judgement of a run, a JSON object. */
export async function setJudgement(trx: Transaction, runId: string, judgement: string): Promise<void> {
  await trx.updateTable('runs').set({ judgement }).where('id', '=', runId).execute();
}

/** A change of the active runs of a session. */
export interface ActiveRunChange {
  readonly sessionId: string;
  /** Id of the only run that changes; undefined for all active runs. */
  readonly runId: string | undefined;
  readonly set: Updateable<RunTable>;
  /** Returns the proxy traffic since the last step, in bytes. Called once, and only if at least one run changes. */
  readonly bytes: () => number;
}

/**
 * Sets columns of the queued and running runs of a session, and adds the proxy traffic to these runs and to the
 * session; an ended run stays as it is. Returns the ids of the changed runs, the newest first.
 */
export async function changeActiveRuns(trx: Transaction, change: ActiveRunChange): Promise<string[]> {
  const { sessionId, runId } = change;
  let query = trx
    .selectFrom('runs')
    .select('id')
    .where('sessionId', '=', sessionId)
    .where('status', 'in', activeRunStates)
    .orderBy('createdAt', 'desc');
  if (runId !== undefined) query = query.where('id', '=', runId);
  const ids = (await query.execute()).map(({ id }) => id);
  if (ids.length === 0) return ids;
  const bytes = change.bytes();
  await trx
    .updateTable('runs')
    .set((eb) => ({ ...change.set, proxyBytes: eb('proxyBytes', '+', bytes) }))
    .where('id', 'in', ids)
    .execute();
  await trx
    .updateTable('sessions')
    .set((eb) => ({ proxyBytes: eb('proxyBytes', '+', bytes) }))
    .where('id', '=', sessionId)
    .execute();
  return ids;
}

/** Returns the queued runs of a session, or only the queued run with the id `runId`. Reads within a transaction. */
export function queuedRuns(
  trx: Transaction,
  sessionId: string,
  runId: string | undefined,
): Promise<Pick<RunRow, 'id' | 'createdAt'>[]> {
  const query = trx
    .selectFrom('runs')
    .select(['id', 'createdAt'])
    .where('sessionId', '=', sessionId)
    .where('status', 'in', waitingRunStates);
  return (runId === undefined ? query : query.where('id', '=', runId)).execute();
}

/** Cancels a queued run, and inserts the event of this change. */
export async function cancelQueuedRun(
  trx: Transaction,
  { sessionId, id, now }: { readonly sessionId: string; readonly id: string; readonly now: number },
): Promise<void> {
  const set = { status: runState.cancelled, reason: 'task stopped', endedAt: now, secrets: null };
  await trx.updateTable('runs').set(set).where('id', '=', id).execute();
  const event = { sessionId, runId: id, type: 'session.stopTask', data: '{}', createdAt: now };
  await addEvent(trx, event);
}
