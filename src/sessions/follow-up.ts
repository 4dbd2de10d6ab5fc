import type { Transaction, Updateable } from 'kysely';
import type { JsonObject } from '#lib/json.ts';
import { liveStates } from '#contract/lifecycle.ts';
import type { CustomProxy } from '#browsers/index.ts';
import { titleOf } from '#agent/index.ts';
import { sessionById } from '#store/queries/sessions.ts';
import type { SessionRow, SessionTable, Tables } from '#store/schema.ts';
import { activeMaxOf, countActive } from '#store/queries/counts.ts';
import { addRun } from '#store/queries/inserts.ts';
import { attach } from '#store/queries/attachments.ts';
import { inTransaction } from '#store/transaction.ts';
import { type NewRun, runRow } from './create-session.ts';
import { executeRun } from './execute-run.ts';
import type { Secret } from '#agent/redaction/index.ts';
import type { EngineState } from './parts.ts';
import type { RunSettings } from './run-settings.ts';
import { tryTransition } from './transition.ts';
import { isLeaving, noOwner, type OwnerColumns } from '#store/queries/workers.ts';
import { closedMeters } from './meters.ts';

/** A further task for an idle session and the settings that it replaces. */
export interface FollowUp extends Pick<NewRun, 'runCostMicros' | 'traceParent'> {
  readonly task: string;
  /** V4 modelParams; absent or null when the request gave none. */
  readonly modelParams?: JsonObject | null;
  /** Model of this task; absent for the session's own. */
  readonly model?: string;
  /** Columns that the request names; what is absent keeps its value. */
  readonly settings: Updateable<SessionTable>;
  /** What the task keeps for itself; @defaultValue nothing */
  readonly runSettings?: RunSettings;
  /** Uploads that belong to this task; @defaultValue none */
  readonly attachedFileIds?: readonly string[];
  /** What a browser that is started for it leaves through; never stored. @defaultValue as the session has it */
  readonly runProxy?: CustomProxy | null;
  /** What the task may type; @defaultValue nothing */
  readonly secrets?: readonly Secret[];
  /** A further condition, read in the same transaction; false and nothing is written. */
  readonly provided?: (trx: Transaction<Tables>) => Promise<boolean>;
  /** More writes of the same transaction. */
  readonly also?: (trx: Transaction<Tables>, runId: string) => Promise<void>;
}

/** The session after its dispatch, and the task. */
export interface FollowedUp {
  readonly session: SessionRow;
  readonly runId: string;
  /** The uploads that were asked for and could not be attached. */
  readonly missingFileIds: readonly string[];
}

/** The project has as many living sandboxes as it may have. */
export interface NoRoom {
  readonly tooMany: { readonly active: number; readonly limit: number };
}

/**
 * Dispatches a task to an idle session; null when it is not idle, or a condition does not hold, and nothing was written. A
 * session that counts for nothing while it is idle needs room among the living ones of its project.
 */
export async function followUp(
  engine: EngineState,
  session: SessionRow,
  wanted: FollowUp,
): Promise<FollowedUp | NoRoom | null> {
  using _dispatching = engine.tasks.hold();
  const ofAll = await engine.activeMax.of(session.project_id);
  const next = await ownerForRun(engine, session.id);
  const row = runRow(engine, session, newRun(session, wanted));
  const run = { ...row, status: 'running' as const, started_at: row.created_at };
  const moved = await tryTransition(engine, {
    sessionId: session.id,
    move: { id: 'dispatch', from: 'idle' },
    set: (seen) => ({
      ...wanted.settings,
      // A session that outlives its runs may have a title that its owner gave it; every other title is that of the task.
      title: (session.resumable === 1 ? seen.session.title : null) ?? titleOf(run.task),
      last_step_summary: null,
      output: null,
      is_task_successful: null,
      answered_by: null,
      proxy_bytes: seen.session.proxy_bytes + engine.sandboxes.bookBytes(session.id),
      ...(seen.session.owner === null ? next : {}),
    }),
    newRunId: run.id,
    // What is attached must not come at the same moment.
    alsoOf: (wanted.attachedFileIds ?? []).length === 0 ? [session.project_id] : 'everything',
    evenElsewhere: true,
    async provided(trx): Promise<boolean | NoRoom> {
      if (wanted.provided !== undefined && !(await wanted.provided(trx))) return false;
      if (session.resumable === 0) return true;
      const active = await countActive(trx, session.project_id, liveStates(engine.rules.lifecycle, 'session'));
      const limit = await activeMaxOf(trx, session.project_id, ofAll);
      return active < limit || { tooMany: { active, limit } };
    },
    async also(trx) {
      await addRun(trx, run);
      const event = { session_id: session.id, run_id: run.id, type: 'run.created', data: '{}' };
      await trx
        .insertInto('events')
        .values({ ...event, created_at: row.created_at })
        .execute();
      const attached = {
        workspaceId: session.workspace_id,
        fileIds: wanted.attachedFileIds ?? [],
        to: { runId: run.id },
      };
      const missing = await attach(trx, attached);
      await wanted.also?.(trx, run.id);
      return missing;
    },
  });
  if ('refusal' in moved) return moved.refusal;
  const runProxy = wanted.runProxy ?? null;
  await engine.owners.tell({ op: 'run', sessionId: session.id, runId: run.id, runProxy }, () => {
    engine.sandboxes.ensure(session.id).runProxy = runProxy;
    engine.inBackground(`run ${run.id}`, () => executeRun(engine, session.id, run));
  });
  return { session: await sessionById(engine.db, session.id), runId: run.id, missingFileIds: moved.also ?? [] };
}

/** Lets a task wait for a session that is still starting; null when it is not, or when a task waits already. */
export async function waitForStart(
  engine: EngineState,
  session: SessionRow,
  wanted: FollowUp,
): Promise<FollowedUp | null> {
  const run = runRow(engine, session, newRun(session, wanted));
  const written = await inTransaction(
    engine.db,
    async (trx) => {
      const starting = await trx
        .selectFrom('sessions')
        .select('id')
        .where('id', '=', session.id)
        .where('status', '=', 'created')
        .executeTakeFirst();
      const waiting = await trx
        .selectFrom('runs')
        .select('id')
        .where('session_id', '=', session.id)
        .where('status', '=', 'queued')
        .executeTakeFirst();
      if (starting === undefined || waiting !== undefined) return false;
      await addRun(trx, run);
      const event = { session_id: session.id, run_id: run.id, type: 'run.created', data: '{}' };
      await trx
        .insertInto('events')
        .values({ ...event, created_at: run.created_at })
        .execute();
      return true;
    },
    { of: [session.id] },
  );
  return written ? { session: await sessionById(engine.db, session.id), runId: run.id, missingFileIds: [] } : null;
}

function newRun(
  session: SessionRow,
  { task, model, modelParams = null, runCostMicros = null, runProxy = null, settings, ...own }: FollowUp,
): NewRun {
  const thinkingLevel = settings.thinking_level === undefined ? session.thinking_level : settings.thinking_level;
  return {
    task,
    model: model ?? session.model,
    thinkingLevel,
    modelParams,
    runCostMicros,
    runProxy,
    ...named(own),
  };
}

type Named = Pick<FollowUp, 'runSettings' | 'secrets' | 'traceParent'>;

function named({ runSettings, secrets, traceParent = null }: Named): Named {
  return {
    traceParent,
    ...(runSettings === undefined ? {} : { runSettings }),
    ...(secrets === undefined ? {} : { secrets }),
  };
}

/**
 * The columns of whoever is to work on the next task of an idle session that nobody owns. An owner that takes nothing new gives the
 * session up first.
 */
async function ownerForRun(engine: EngineState, sessionId: string): Promise<OwnerColumns> {
  const { db, owners } = engine;
  if (owners.self === null) return noOwner;
  const { owner } = await db
    .selectFrom('sessions')
    .select('owner')
    .where('id', '=', sessionId)
    .executeTakeFirstOrThrow();
  if (owner !== null && (await isLeaving(db, owner)))
    await owners.perform({ op: 'handOver', sessionId }, async () => {
      await handOver(engine, sessionId);
      return {};
    });
  return owners.next();
}

/**
 * Gives an idle session up, so that another worker can have it: its browser goes with what it had, and its next task gets a fresh one.
 * Without effect on a session that works, starts or has ended, and on one of somebody else.
 */
export async function handOver(engine: EngineState, sessionId: string): Promise<void> {
  const { self } = engine.owners;
  if (self === null) return;
  const given = await inTransaction(
    engine.db,
    async (trx) => {
      const session = await trx
        .selectFrom('sessions')
        .selectAll()
        .where('id', '=', sessionId)
        .where('owner', '=', self)
        .where('status', '=', 'idle')
        .executeTakeFirst();
      if (session === undefined) return null;
      await trx.updateTable('sessions').set(closedMeters(engine, session)).where('id', '=', sessionId).execute();
      // Inside the transaction: a run that is dispatched after it finds no browser here, and starts a new one.
      return { gone: engine.sandboxes.close(sessionId) };
    },
    { of: [sessionId] },
  );
  if (given === null) return;
  await given.gone;
  await engine.tasks.ended(sessionId);
  // Only now: its profile must have been kept before another browser starts from it.
  await engine.db
    .updateTable('sessions')
    .set(noOwner)
    .where('id', '=', sessionId)
    .where('owner', '=', self)
    .where('status', '=', 'idle')
    .execute();
}
