import type { SessionCommand } from '#cluster/index.ts';
import { endStates } from '#contract/lifecycle.ts';
import { releaseLease } from '#store/queries/profiles.ts';
import { sessionById } from '#store/queries/sessions.ts';
import { noOwner, silenceOf } from '#store/queries/workers.ts';
import type { RunOfSession, SessionRow } from '#store/schema.ts';
import { inTransaction } from '#store/transaction.ts';
import { cutRun, failSession } from './end-run.ts';
import { executeRun } from './execute-run.ts';
import { letGo } from './inactivity.ts';
import { closeBill } from './meters.ts';
import type { EngineState } from './parts.ts';
import { handOverIdle } from './queue.ts';
import { handOver } from './follow-up.ts';
import { startSandbox } from './start-sandbox.ts';
import { deleteSession, finishPurges, purgeSession, stopSession, stopTask } from './stop-session.ts';
import { createSweep } from './sweep.ts';

/** What of the engine is done by the owner of a session, wherever it is asked for, and what an owner does for others. */
export interface ByOwner {
  stop(session: SessionRow, strategy: 'session' | 'task'): Promise<SessionRow>;
  /** Stops one run of a session that lives on; without effect when it has ended. */
  stopRun(found: RunOfSession): Promise<SessionRow>;
  remove(session: SessionRow): Promise<void>;
  /** Erases everything about a session but its meters; a living one is stopped first. */
  purge(session: SessionRow): Promise<void>;
  /** Ends the sandbox of a living session as a failure would; for fault injection. */
  crash(sessionId: string): Promise<void>;
  /** Does what another process asks of the owner of a session, which is this one. */
  obey(command: SessionCommand): Promise<void>;
  /** What a process does again and again: see `createSweep` and `buryOwner`. */
  lookAfter(): Promise<void>;
  bury(owner: string): Promise<void>;
  /** Gives up every idle session, so that other workers can have them. */
  handOver(): Promise<void>;
}

/** Operations that are carried to the owner, which usually is this process; from now on it gives profiles back that others want. */
export function createByOwner(engine: EngineState): ByOwner {
  const perform = async (command: SessionCommand): Promise<void> => {
    await engine.owners.perform(command, async () => {
      await obey(engine, command);
      return {};
    });
  };
  const end = async (session: SessionRow, command: Ending): Promise<SessionRow> => {
    await engine.owners.perform(command, async () => {
      await endAsAsked(engine, command, session);
      return {};
    });
    return sessionById(engine.db, session.id);
  };
  const sweep = createSweep(engine);
  engine.browserProfiles.onWanted((sessionId) => perform({ op: 'yieldSession', sessionId }));
  return {
    stopRun: ({ run, session }) => end(session, { op: 'stopRun', sessionId: session.id, runId: run.id }),
    stop: (session, strategy) => end(session, { op: 'stop', sessionId: session.id, strategy }),
    purge: async (session) => void (await end(session, { op: 'purge', sessionId: session.id })),
    remove: async (session) => void (await end(session, { op: 'remove', sessionId: session.id })),
    crash: (sessionId) => perform({ op: 'crash', sessionId }),
    obey: (command) => obey(engine, command),
    lookAfter: () => sweep.run(),
    bury: (owner) => buryOwner(engine, owner),
    handOver: () => handOverIdle(engine),
  };
}

/** Whoever lives sees within this time that a process is dead (decision 048). */
const seenMs = 30_000;

const crash = { reason: 'the service ended while the task ran', kind: 'crash' } as const;

/**
 * Clears up after a worker that is dead: its tasks end as crashes and are never run again, its idle sessions stay idle, what it was to
 * start is started by others. Whoever else does the same at this moment does no harm; to be done again is without effect.
 */
async function buryOwner(engine: EngineState, owner: string): Promise<void> {
  const owned = await engine.db
    .selectFrom('sessions')
    .select(['id', 'status'])
    .where('owner', '=', owner)
    .where('status', 'in', ['created', 'idle', 'running'])
    .execute();
  // Up to now others have counted its time on; in vain only where nobody was there to see that it is dead.
  const endedAt = engine.clock.now() - Math.max(0, (await silenceOf(engine.db, owner)) - seenMs);
  for (const { id, status } of owned) {
    await engine.db.deleteFrom('model_calls').where('session_id', '=', id).execute();
    await closeBill(engine, id, endedAt);
    if (status === 'running') await failSession(engine, id, { ...crash, evenElsewhere: true });
    await free(engine, id, owner);
  }
  if (owned.length > 0) await finishPurges(engine);
}

/** Nobody owns it any more, and an idle one has no browser that could use its profile. */
async function free(engine: EngineState, id: string, owner: string): Promise<void> {
  await inTransaction(
    engine.db,
    async (trx) => {
      const row = await trx
        .updateTable('sessions')
        .set(noOwner)
        .where('id', '=', id)
        .where('owner', '=', owner)
        .returning('status')
        .executeTakeFirst();
      if (row !== undefined && row.status !== 'created') await releaseLease(trx, id);
    },
    { of: [id] },
  );
}

/** Does in this process what a session's owner has to do; settles when it is done, of a start or a task when it has begun. */
async function obey(engine: EngineState, command: SessionCommand): Promise<void> {
  const { sessionId } = command;
  switch (command.op) {
    case 'start':
      if (command.runProxy !== null) engine.sandboxes.ensure(sessionId).runProxy = command.runProxy;
      return engine.inBackground(`start ${sessionId}`, () => startSandbox(engine, sessionId));
    case 'run':
      return beginRun(engine, command);
    case 'handOver':
      return handOver(engine, sessionId);
    case 'yieldSession':
      return yieldProfile(engine, sessionId);
    case 'cut':
      return cutRun(engine, sessionId, command.messageId);
    case 'crash':
      return failSession(engine, sessionId, { reason: 'injected fault', kind: 'crash' });
    case 'stop':
    case 'stopRun':
    case 'remove':
    case 'purge':
      return endAsAsked(engine, command, await sessionById(engine.db, sessionId));
  }
}

/** The commands that end a task, a session, or more. */
export type Ending = Extract<SessionCommand, { op: 'stop' | 'stopRun' | 'remove' | 'purge' }>;

/** Ends in this process what its owner is asked to; nothing is awaited before it is decided, so that what is asked for first comes first. */
async function endAsAsked(engine: EngineState, command: Ending, session: SessionRow): Promise<void> {
  switch (command.op) {
    case 'stop':
      await (command.strategy === 'task' ? stopTask(engine, session) : stopSession(engine, session));
      return;
    case 'stopRun':
      await stopTask(engine, session, { runId: command.runId });
      return;
    case 'remove':
      return deleteSession(engine, session);
    case 'purge':
      return purgeSession(engine, session);
  }
}

/** A task is worked on once, however often this process is told to. */
function beginRun(engine: EngineState, { sessionId, runId, runProxy }: Extract<SessionCommand, { op: 'run' }>): void {
  if (engine.begun.has(runId)) return;
  engine.sandboxes.ensure(sessionId).runProxy = runProxy;
  engine.inBackground(`run ${runId}`, async () => {
    const run = await engine.db
      .selectFrom('runs')
      .select(['id', 'task', 'trace_parent'])
      .where('id', '=', runId)
      .executeTakeFirst();
    // A second telling can have come while the first was looked up.
    if (run !== undefined && !engine.begun.has(runId)) await executeRun(engine, sessionId, run);
  });
}

/**
 * Gives back the profile of a session that somebody else wants: a browser that only lingers for a possible next run goes, and one
 * that is on its way out is waited for. A session that works, or is kept alive because its owner asked for that, keeps its profile.
 */
async function yieldProfile(engine: EngineState, sessionId: string): Promise<void> {
  await letGo(engine, sessionId, { usedBefore: engine.clock.now() });
  await releaseUnused(engine, sessionId);
  await engine.sandboxes.gone(sessionId);
}

/** What no browser of the session uses: nobody starts one for an ended session, nor for a resumable one before its next run. */
async function releaseUnused(engine: EngineState, sessionId: string): Promise<void> {
  const ended = await inTransaction(
    engine.db,
    async (trx) => {
      const session = await trx
        .selectFrom('sessions')
        .select(['status', 'resumable'])
        .where('id', '=', sessionId)
        .executeTakeFirst();
      if (session === undefined) return false;
      // Inside the transaction: a run that is dispatched after it takes the profile again.
      if (isIdleWithoutBrowser(engine, sessionId, session)) await releaseLease(trx, sessionId);
      return endStates(engine.rules.lifecycle, 'session').includes(session.status);
    },
    { of: [sessionId] },
  );
  // Whoever ended it gives its sandbox up a moment later.
  if (ended) await engine.sandboxes.close(sessionId);
}

function isIdleWithoutBrowser(
  { sandboxes }: EngineState,
  sessionId: string,
  { status, resumable }: Pick<SessionRow, 'status' | 'resumable'>,
): boolean {
  const sandbox = sandboxes.get(sessionId);
  const isUsed = sandbox !== undefined && (sandbox.browser !== undefined || sandbox.launching !== undefined);
  return status === 'idle' && resumable === 1 && !isUsed && !sandboxes.isLeaving(sessionId);
}
