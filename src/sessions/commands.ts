import type { SessionCommand } from '#cluster/worker-bus.ts';
import { isTerminal } from '#contract/lifecycle.ts';
import { sessionStatus } from '#generated/states.ts';
import { releaseLease } from '#store/queries/profiles.ts';
import { releaseModelCalls } from '#store/queries/model-calls.ts';
import { freeSession, livingSessions } from '#store/queries/owned-sessions.ts';
import { runReference } from '#store/queries/runs.ts';
import { sessionById, sessionIn } from '#store/queries/sessions.ts';
import { getSilenceMs } from '#store/queries/workers.ts';
import type { RunOfSession } from '#store/tables/runs.ts';
import type { SessionRow } from '#store/tables/sessions.ts';
import { inTransaction } from '#store/transaction.ts';
import { interruptRun } from './end-run.ts';
import { failSession } from './fail-session.ts';
import { executeRun } from './execute-run.ts';
import { releaseBrowser } from './inactivity.ts';
import { closeBill } from './meters.ts';
import type { EngineState } from './engine-deps.ts';
import { releaseIdleSessions } from './queue.ts';
import { releaseSession } from './follow-up.ts';
import { startSandbox } from './start-sandbox.ts';
import { deleteSession, finishPurges, purgeSession, stopSession } from './stop-session.ts';
import { stopTask } from './stop-task.ts';
import { createSweep } from './recover.ts';

/**
 * Operations that run in the process that owns the session, and operations that maintain the sessions of this process.
 * Another process forwards an operation on a session to the owner.
 */
export interface OwnerCommands {
  stop(session: SessionRow, strategy: 'session' | 'task'): Promise<SessionRow>;
  /** Stops one run of a session that stays alive; does nothing when the run has ended. */
  stopRun(found: RunOfSession): Promise<SessionRow>;
  remove(session: SessionRow): Promise<void>;
  /** Erases all data of a session except its meters; a living session is stopped first. */
  purge(session: SessionRow): Promise<void>;
  /** Fails a living session as if its browser had crashed; used for fault injection. */
  crash(sessionId: string): Promise<void>;
  /** Handles a command from another process for a session that this process owns. */
  handleCommand(command: SessionCommand): Promise<void>;
  /** Runs the periodic maintenance of this process; see `createSweep`. */
  lookAfter(): Promise<void>;
  reclaim(owner: string): Promise<void>;
  /** Releases every idle session, so that other workers can own it. Does nothing in a single-process service. */
  handOver(): Promise<void>;
}

/**
 * Creates the operations that are routed to the owner of a session. Also registers the handler that releases profile
 * locks on request.
 */
export function createOwnerCommands(engine: EngineState): OwnerCommands {
  const perform = async (command: SessionCommand): Promise<void> => {
    await engine.owners.perform(command, async () => {
      await handleCommand(engine, command);
      return {};
    });
  };
  const end = async (session: SessionRow, command: Ending): Promise<SessionRow> => {
    await engine.owners.perform(command, async () => {
      await handleEndingCommand(engine, command, session);
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
    handleCommand: (command) => handleCommand(engine, command),
    lookAfter: () => sweep.run(),
    reclaim: (owner) => reclaimOwner(engine, owner),
    handOver: () => releaseIdleSessions(engine),
  };
}

/** Time in milliseconds within which living processes detect a dead process (decision 47). */
const seenMs = 30_000;

const crash = { reason: 'the service ended while the task ran', kind: 'crash' } as const;

/**
 * Reclaims the sessions of a dead worker. Its running tasks end as crashed and never run again, idle sessions stay
 * idle, and pending starts move to other workers. Idempotent and safe to run concurrently.
 */
async function reclaimOwner(engine: EngineState, owner: string): Promise<void> {
  const owned = await livingSessions(engine.db, owner);
  // Other processes have counted the browser's time until now; the correction matters only when no process noticed the
  // death.
  const endedAt = engine.clock.now() - Math.max(0, (await getSilenceMs(engine.db, owner)) - seenMs);
  for (const { id, status } of owned) {
    await releaseModelCalls(engine.db, id);
    await closeBill(engine, id, endedAt);
    if (status === sessionStatus.running) await failSession(engine, id, { ...crash, evenElsewhere: true });
    await freeSession(engine.db, id, owner);
  }
  if (owned.length > 0) await finishPurges(engine);
}

/**
 * Handles a command as the owner of the session. Resolves when the command is done; a start or a task counts as done
 * when it has begun.
 */
async function handleCommand(engine: EngineState, command: SessionCommand): Promise<void> {
  const { sessionId } = command;
  switch (command.op) {
    case 'start':
      if (command.runProxy !== null) engine.sandboxes.ensure(sessionId).runProxy = command.runProxy;
      return engine.inBackground(`start ${sessionId}`, () => startSandbox(engine, sessionId));
    case 'run':
      return beginRun(engine, command);
    case 'handOver':
      return releaseSession(engine, sessionId);
    case 'yieldSession':
      return yieldProfile(engine, sessionId);
    case 'cut':
      return interruptRun(engine, sessionId, command.messageId);
    case 'crash':
      return failSession(engine, sessionId, { reason: 'injected fault', kind: 'crash' });
    case 'stop':
    case 'stopRun':
    case 'remove':
    case 'purge':
      return handleEndingCommand(engine, command, await sessionById(engine.db, sessionId));
  }
}

/** Commands that end a task or a session. */
export type Ending = Extract<SessionCommand, { op: 'stop' | 'stopRun' | 'remove' | 'purge' }>;

/**
 * Handles an ending command. The operation is chosen and begun before the first await, so that commands take effect in
 * the order of arrival.
 */
async function handleEndingCommand(engine: EngineState, command: Ending, session: SessionRow): Promise<void> {
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

/** Starts a task once, however often the command arrives. */
function beginRun(engine: EngineState, { sessionId, runId, runProxy }: Extract<SessionCommand, { op: 'run' }>): void {
  if (engine.begun.has(runId)) return;
  engine.sandboxes.ensure(sessionId).runProxy = runProxy;
  engine.inBackground(`run ${runId}`, async () => {
    const run = await runReference(engine.db, runId);
    // A second command may have arrived during the lookup.
    if (run !== undefined && !engine.begun.has(runId)) await executeRun(engine, sessionId, run);
  });
}

/**
 * Releases the profile lock of a session on request. A browser that is idle between runs stops; a stopping browser is
 * awaited. A working session, or a session that its client keeps alive, keeps its profile.
 */
async function yieldProfile(engine: EngineState, sessionId: string): Promise<void> {
  await releaseBrowser(engine, sessionId, { usedBefore: engine.clock.now() });
  await releaseUnused(engine, sessionId);
  await engine.sandboxes.gone(sessionId);
}

/**
 * Releases the profile lock of an idle resumable session without a browser, because this session starts no browser
 * before its next run. Closes the sandbox of an ended session, which also releases the lock.
 */
async function releaseUnused(engine: EngineState, sessionId: string): Promise<void> {
  const ended = await inTransaction(
    engine.db,
    async (trx) => {
      const session = await sessionIn(trx, sessionId);
      if (session === undefined) return false;
      // Inside the transaction: a run that is dispatched after the transaction takes the profile lock again.
      if (isIdleWithoutBrowser(engine, sessionId, session)) await releaseLease(trx, sessionId);
      return isTerminal(engine.rules.lifecycle, session.status);
    },
    { of: [sessionId] },
  );
  // The code that ended the session may not have closed the sandbox yet.
  if (ended) await engine.sandboxes.close(sessionId);
}

function isIdleWithoutBrowser(
  { sandboxes }: EngineState,
  sessionId: string,
  { status, resumable }: Pick<SessionRow, 'status' | 'resumable'>,
): boolean {
  const sandbox = sandboxes.get(sessionId);
  const isUsed = sandbox !== undefined && (sandbox.browser !== undefined || sandbox.launching !== undefined);
  return status === sessionStatus.idle && resumable === 1 && !isUsed && !sandboxes.isLeaving(sessionId);
}
