import { runState, sessionStatus } from '#generated/states.ts';
import { getTitle } from '#agent/title.ts';
import { isTerminal } from '#contract/lifecycle.ts';
import { getLimit } from '#contract/rule-book.ts';
import { dispatchWaiting, queuedRun } from '#store/queries/runs.ts';
import { sessionById } from '#store/queries/sessions.ts';
import type { SessionRow } from '#store/tables/sessions.ts';
import { executeRun, type RunRef } from './execute-run.ts';
import { openSessionBrowser } from './launch-browser.ts';
import type { EngineState } from './engine-deps.ts';
import { transition } from './transition.ts';

/**
 * Starts the sandbox of a created session: the browser first, then the waiting task; without a task the session becomes
 * idle. A failed start ends the session in `error`; a resumable session becomes idle instead. Does nothing for a
 * session in another state, and if this process is already starting it.
 */
export async function startSandbox(engine: EngineState, sessionId: string): Promise<void> {
  if (engine.starting.has(sessionId)) return;
  engine.starting.add(sessionId);
  try {
    await start(engine, sessionId);
  } finally {
    engine.starting.delete(sessionId);
  }
}

async function start(engine: EngineState, sessionId: string): Promise<void> {
  const session = await sessionById(engine.db, sessionId);
  if (session.status !== sessionStatus.created) return;
  await dispatchWaiting(engine.db, sessionId);
  const browser = await openSessionBrowser(engine, session);
  if (browser !== null) await settle(engine, session);
}

/**
 * Starts the waiting task of a created session. Without a waiting task, makes the session idle. Tries again when a task
 * is queued or stopped meanwhile. Does nothing once the process accepts no more tasks.
 */
async function settle(engine: EngineState, session: SessionRow): Promise<void> {
  using dispatching = engine.tasks.hold();
  // This process accepts no more tasks. The session stays created: its next owner starts it, or this service after a
  // restart.
  if (dispatching === null) return;
  const sessionId = session.id;
  for (;;) {
    const waiting = await queuedRun(engine.db, sessionId);
    if (waiting !== undefined && (await beginQueuedRun(engine, session, waiting))) return;
    if (await becomeIdle(engine, sessionId)) return engine.goOn(sessionId);
    const { status } = await sessionById(engine.db, sessionId);
    if (status === sessionStatus.created) continue;
    // The session was stopped meanwhile, and no other code knows the sandbox.
    if (isTerminal(engine.rules.lifecycle, status)) await engine.sandboxes.close(sessionId);
    return;
  }
}

/** Makes a created session idle; false when a task was queued meanwhile or the session is not starting any more. */
async function becomeIdle(engine: EngineState, sessionId: string): Promise<boolean> {
  const moved = await transition(engine, {
    sessionId,
    move: { id: 'sandboxReady' },
    provided: async (trx) => (await queuedRun(trx, sessionId)) === undefined,
  });
  return moved !== null;
}

/**
 * Starts a created session's queued task; clients never see the session idle in between (decision 8). Returns false if
 * the run or session has ended.
 */
async function beginQueuedRun(engine: EngineState, session: SessionRow, run: RunRef): Promise<boolean> {
  const moved = await transition(engine, {
    sessionId: session.id,
    move: { id: 'dispatch', from: sessionStatus.created },
    set: (seen) => ({ title: seen.session.title ?? getTitle(run.task) }),
    run: { id: run.id, status: runState.running },
  });
  if (moved === null) return false;
  await executeRun(engine, session.id, run);
  return true;
}

/**
 * Result of waiting for a sandbox. `moved`: the session is not starting any more, or has a queued task. `givenUp`: the
 * client disconnected, or the time limit passed. `shuttingDown`: the service ends.
 */
export type SandboxWait = 'moved' | 'givenUp' | 'shuttingDown';

/**
 * Waits until the sandbox of a created session has started or the session has ended. Does not wait for a session in
 * which a first task waits already. Gives up when the client disconnects, and after the limit `followUpWait`. Also
 * resolves when the service ends. Never rejects for an aborted signal.
 */
export async function waitForSandbox(
  engine: EngineState,
  session: SessionRow,
  clientGone: AbortSignal,
): Promise<SandboxWait> {
  const { clock, rules, moves } = engine;
  const timeout = new AbortController();
  const cancelTimeout = clock.at(clock.now() + getLimit(rules, 'followUpWait'), () => timeout.abort());
  const closing = AbortSignal.any([engine.closing, engine.tasks.finishing]);
  const end = AbortSignal.any([timeout.signal, clientGone, closing]);
  const { promise, resolve } = Promise.withResolvers<void>();
  // Listens before it reads the session, so that it misses no change.
  moves.once(session.id, resolve);
  end.addEventListener('abort', () => resolve(), { once: true });
  const stopPolling = engine.owners.self === null ? undefined : poll(engine, session.id, resolve);
  try {
    if (!end.aborted && (await isStarting(engine, session.id))) await promise;
    if (closing.aborted) return 'shuttingDown';
    return end.aborted ? 'givenUp' : 'moved';
  } finally {
    moves.off(session.id, resolve);
    cancelTimeout();
    stopPolling?.();
  }
}

/** Returns whether a session is starting without a queued task. */
async function isStarting({ db }: EngineState, sessionId: string): Promise<boolean> {
  const { status } = await sessionById(db, sessionId);
  return status === sessionStatus.created && (await queuedRun(db, sessionId)) === undefined;
}

/**
 * Polls a session that another process may own, because that process sends no notice of a change. Calls `onMoved` once,
 * when the session is not starting any more or has a queued task. Returns a function that ends the polling.
 */
function poll(engine: EngineState, sessionId: string, onMoved: () => void): () => void {
  const { clock, log, rules } = engine;
  const intervalMs = getLimit(rules, 'followUpPollInterval');
  let cancel: () => void = () => undefined;
  let isStopped = false;
  const again = (): void => {
    if (!isStopped) cancel = clock.at(clock.now() + intervalMs, () => void look());
  };
  const look = async (): Promise<void> => {
    try {
      if (await isStarting(engine, sessionId)) again();
      else onMoved();
    } catch (error) {
      log.warn({ session: sessionId, err: error }, 'a session that starts could not be read; it is read again');
      again();
    }
  };
  again();
  return () => {
    isStopped = true;
    cancel();
  };
}
