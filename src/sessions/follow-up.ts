import type { Transaction, Updateable } from 'kysely';
import type { JsonObject } from '#lib/json.ts';
import { liveStates } from '#contract/lifecycle.ts';
import type { CustomProxy } from '#browsers/index.ts';
import { titleOf } from '#agent/title.ts';
import { sessionById } from '#store/queries/sessions.ts';
import type { SessionRow, SessionTable, Tables } from '#store/schema.ts';
import { activeMaxOf, countActive } from '#store/queries/counts.ts';
import { addRun } from '#store/queries/inserts.ts';
import { attach } from '#store/queries/attachments.ts';
import { inTransaction } from '#store/transaction.ts';
import { type NewRun, runRow } from './create-session.ts';
import { executeRun } from './execute-run.ts';
import type { Secret } from '#agent/redaction/secrets.ts';
import type { EngineState } from './engine-deps.ts';
import type { RunSettings } from './run-settings.ts';
import { tryTransition } from './transition.ts';
import { isDraining, noOwner, type OwnerColumns } from '#store/queries/workers.ts';
import { closedMeters } from './meters.ts';

/** A follow-up task of an idle session with the settings that it replaces. */
export interface FollowUp extends Pick<NewRun, 'runCostMicros' | 'traceParent'> {
  readonly task: string;
  /** V4 modelParams; absent or null when the request gave none. */
  readonly modelParams?: JsonObject | null;
  /** Model of this task; absent for the session's model. */
  readonly model?: string;
  /** Columns that the request sets; absent columns keep their values. */
  readonly settings: Updateable<SessionTable>;
  /** Settings of the task. @defaultValue none */
  readonly runSettings?: RunSettings;
  /** Uploads attached to this task. @defaultValue none */
  readonly attachedFileIds?: readonly string[];
  /** Proxy of a browser started for the task; never stored. @defaultValue that of the session */
  readonly runProxy?: CustomProxy | null;
  /** Secrets of the task. @defaultValue none */
  readonly secrets?: readonly Secret[];
  /** A further condition, read in the same transaction; when it is false nothing is written. */
  readonly provided?: (trx: Transaction<Tables>) => Promise<boolean>;
  /** Further writes of the same transaction. */
  readonly also?: (trx: Transaction<Tables>, runId: string) => Promise<void>;
}

/** The session after the dispatch, and the task. */
export interface FollowedUp {
  readonly session: SessionRow;
  readonly runId: string;
  /** Requested uploads that could not be attached. */
  readonly missingFileIds: readonly string[];
}

/** The project has reached its limit of active sandboxes. */
export interface NoRoom {
  readonly tooMany: { readonly active: number; readonly limit: number };
}

/**
 * Dispatches a task to an idle session. Returns null, without a write, when the session is not idle or a condition
 * fails. A session that does not count while idle needs a free slot of its project.
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
      // A resumable session may have a title from its client; otherwise the title is that of the task.
      title: (session.resumable === 1 ? seen.session.title : null) ?? titleOf(run.task),
      last_step_summary: null,
      output: null,
      is_task_successful: null,
      answered_by: null,
      proxy_bytes: seen.session.proxy_bytes + engine.sandboxes.bookBytes(session.id),
      ...(seen.session.owner === null ? next : {}),
    }),
    newRunId: run.id,
    // Attachments must not change concurrently.
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

/** Queues a task for a starting session; null when it is not starting or a task is queued already. */
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
 * Returns the owner columns for the next task of an unowned idle session. A draining owner releases the session first.
 */
async function ownerForRun(engine: EngineState, sessionId: string): Promise<OwnerColumns> {
  const { db, owners } = engine;
  if (owners.self === null) return noOwner;
  const { owner } = await db
    .selectFrom('sessions')
    .select('owner')
    .where('id', '=', sessionId)
    .executeTakeFirstOrThrow();
  if (owner !== null && (await isDraining(db, owner)))
    await owners.perform({ op: 'handOver', sessionId }, async () => {
      await releaseSession(engine, sessionId);
      return {};
    });
  return owners.next();
}

/**
 * Releases an idle session to other workers: its browser stops, and the next task gets a new one. Does nothing for
 * sessions that work, start, have ended or have another owner.
 */
export async function releaseSession(engine: EngineState, sessionId: string): Promise<void> {
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
      // Inside the transaction: a run dispatched after it finds no browser here and starts a new one.
      return { gone: engine.sandboxes.close(sessionId) };
    },
    { of: [sessionId] },
  );
  if (given === null) return;
  await given.gone;
  await engine.tasks.ended(sessionId);
  // The profile must be saved before another browser starts from it.
  await engine.db
    .updateTable('sessions')
    .set(noOwner)
    .where('id', '=', sessionId)
    .where('owner', '=', self)
    .where('status', '=', 'idle')
    .execute();
}
