import { runState, sessionStatus } from '#generated/states.ts';
import type { JsonObject } from '#lib/json.ts';
import { liveStates } from '#contract/lifecycle.ts';
import type { CustomProxy } from '#browsers/index.ts';
import { getTitle } from '#agent/title.ts';
import { changeSession, insertQueuedRun, sessionById, sessionOwner } from '#store/queries/sessions.ts';
import { idleSessionIn, releaseIdleSession } from '#store/queries/owned-sessions.ts';
import type { SessionRow, SessionUpdate } from '#store/tables/sessions.ts';
import { countActive } from '#store/queries/counts.ts';
import { projectActiveMax } from '#store/queries/projects.ts';
import { addRunWithEvent } from '#store/queries/inserts.ts';
import { attach } from '#store/queries/attachments.ts';
import { inTransaction, type Transaction } from '#store/transaction.ts';
import { type NewRun, runRow } from './create-session.ts';
import { executeRun } from './execute-run.ts';
import type { Secret } from '#agent/redaction/secrets.ts';
import type { EngineState } from './engine-deps.ts';
import type { RunSettings } from './run-settings.ts';
import { tryTransition } from './transition.ts';
import { isDraining, noOwner, type OwnerColumns } from '#store/queries/workers.ts';
import { closedMeters } from './meters.ts';

/** A follow-up task of an idle session, and the settings of the session that the follow-up replaces. */
export interface FollowUp extends Pick<NewRun, 'runCostMicros' | 'traceParent'> {
  readonly task: string;
  /** V4 modelParams; absent or null when the request gave none. */
  readonly modelParams?: JsonObject | null;
  /** Model of this task; absent for the session's model. */
  readonly model?: string;
  /** Columns that the request sets; absent columns keep their values. */
  readonly settings: SessionUpdate;
  /** Settings of the task. @defaultValue none */
  readonly runSettings?: RunSettings;
  /** Uploads attached to this task. @defaultValue none */
  readonly attachedFileIds?: readonly string[];
  /** Proxy of a browser started for the task; never stored. @defaultValue the proxy of the session */
  readonly runProxy?: CustomProxy | null;
  /** Secrets of the task. @defaultValue none */
  readonly secrets?: readonly Secret[];
  /** A further condition, read in the same transaction; when it is false nothing is written. */
  readonly provided?: (trx: Transaction) => Promise<boolean>;
  /** Further writes of the same transaction. */
  readonly also?: (trx: Transaction, runId: string) => Promise<void>;
}

/** The session after the dispatch, and the task. */
export interface FollowedUp {
  readonly session: SessionRow;
  readonly runId: string;
  /** Requested uploads that could not be attached. */
  readonly missingFileIds: readonly string[];
}

/** Result if the project has reached its limit of active sandboxes. */
export interface ActiveLimitReached {
  readonly tooMany: { readonly active: number; readonly limit: number };
}

/**
 * Dispatches a task to an idle session. Returns null, without a write, when the session is not idle or a condition
 * fails. An idle resumable session does not count as active, so its task needs a free slot of the project. Without a
 * free slot, returns the limit.
 */
export async function followUp(
  engine: EngineState,
  session: SessionRow,
  wanted: FollowUp,
): Promise<FollowedUp | ActiveLimitReached | null> {
  using _dispatching = engine.tasks.hold();
  const ofAll = await engine.activeMax.of(session.projectId);
  const next = await ownerForRun(engine, session.id);
  const row = runRow(engine, session, newRun(session, wanted));
  const run = { ...row, status: runState.running, startedAt: row.createdAt };
  const moved = await tryTransition(engine, {
    sessionId: session.id,
    move: { id: 'dispatch', from: sessionStatus.idle },
    set: (seen) => ({
      ...wanted.settings,
      // A resumable session may have a title from its client; otherwise the title is that of the task.
      title: (session.resumable === 1 ? seen.session.title : null) ?? getTitle(run.task),
      lastStepSummary: null,
      output: null,
      isTaskSuccessful: null,
      answeredBy: null,
      proxyBytes: seen.session.proxyBytes + engine.sandboxes.bookBytes(session.id),
      ...(seen.session.owner === null ? next : {}),
    }),
    newRunId: run.id,
    // Attachments must not change concurrently.
    alsoScope: (wanted.attachedFileIds ?? []).length === 0 ? [session.projectId] : 'everything',
    evenElsewhere: true,
    async provided(trx): Promise<boolean | ActiveLimitReached> {
      if (wanted.provided !== undefined && !(await wanted.provided(trx))) return false;
      if (session.resumable === 0) return true;
      const active = await countActive(trx, session.projectId, liveStates(engine.rules.lifecycle));
      const limit = await projectActiveMax(trx, session.projectId, ofAll);
      return active < limit || { tooMany: { active, limit } };
    },
    async also(trx) {
      await addRunWithEvent(trx, run);
      const attached = {
        workspaceId: session.workspaceId,
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

/** Queues a task for a starting session; null when the session is not starting or has a queued task. */
export async function waitForStart(
  engine: EngineState,
  session: SessionRow,
  wanted: FollowUp,
): Promise<FollowedUp | null> {
  const run = runRow(engine, session, newRun(session, wanted));
  const written = await insertQueuedRun(engine.db, run);
  return written ? { session: await sessionById(engine.db, session.id), runId: run.id, missingFileIds: [] } : null;
}

function newRun(
  session: SessionRow,
  { task, model, modelParams = null, runCostMicros = null, runProxy = null, settings, ...own }: FollowUp,
): NewRun {
  const thinkingLevel = settings.thinkingLevel === undefined ? session.thinkingLevel : settings.thinkingLevel;
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
 * Returns the owner columns that a session without an owner receives with its next task. First asks a draining owner of
 * the session to release the session.
 */
async function ownerForRun(engine: EngineState, sessionId: string): Promise<OwnerColumns> {
  const { db, owners } = engine;
  if (owners.self === null) return noOwner;
  const owner = await sessionOwner(db, sessionId);
  if (owner !== null && (await isDraining(db, owner)))
    await owners.perform({ op: 'handOver', sessionId }, async () => {
      await releaseSession(engine, sessionId);
      return {};
    });
  return owners.next();
}

/**
 * Releases an idle session to other workers: its browser stops, and the next task starts a new browser. Does nothing
 * for sessions that work, start, have ended or have another owner, and in a single-process service.
 */
export async function releaseSession(engine: EngineState, sessionId: string): Promise<void> {
  const { self } = engine.owners;
  if (self === null) return;
  const given = await inTransaction(
    engine.db,
    async (trx) => {
      const session = await idleSessionIn(trx, sessionId, self);
      if (session === undefined) return null;
      await changeSession(trx, { ...closedMeters(engine, session), id: sessionId });
      // Inside the transaction: a run that is dispatched after the transaction finds no browser here and starts a new
      // one.
      return { gone: engine.sandboxes.close(sessionId) };
    },
    { of: [sessionId] },
  );
  if (given === null) return;
  await given.gone;
  await engine.tasks.ended(sessionId);
  // The profile must be saved before another browser starts from it.
  await releaseIdleSession(engine.db, sessionId, self);
}
