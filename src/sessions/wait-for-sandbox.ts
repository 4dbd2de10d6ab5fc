import { limitOf } from '#contract/rule-book.ts';
import { queuedRun } from '#store/queries/runs.ts';
import { sessionById } from '#store/queries/sessions.ts';
import { type SessionRow } from '#store/schema.ts';
import type { EngineState } from './parts.ts';

/** Result of a wait: the session may have started or ended, the wait was given up, or the service ends. */
export type SandboxWait = 'moved' | 'givenUp' | 'shuttingDown';

/**
 * Waits until the sandbox of a created session has started, or the session has ended, for at most the limit `followUpWait`. Gives up when
 * the client disconnects or the service ends, and at once for a session whose first task waits already. Never rejects for an aborted signal.
 */
export async function waitForSandbox(
  engine: EngineState,
  session: SessionRow,
  clientGone: AbortSignal,
): Promise<SandboxWait> {
  const { clock, rules, moves } = engine;
  const timeout = new AbortController();
  const cancelTimeout = clock.at(clock.now() + limitOf(rules, 'followUpWait'), () => timeout.abort());
  const closing = AbortSignal.any([engine.closing, engine.tasks.finishing]);
  const end = AbortSignal.any([timeout.signal, clientGone, closing]);
  const { promise, resolve } = Promise.withResolvers<void>();
  // Listens before it reads, so that a change between the two is not missed.
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

/** Whether a session starts and has no task that waits for it. */
async function isStarting({ db }: EngineState, sessionId: string): Promise<boolean> {
  const { status } = await sessionById(db, sessionId);
  return status === 'created' && (await queuedRun(db, sessionId)) === undefined;
}

/** Polls a session that another process may own, which sends no notice of a change. Calls `onMoved` once; returns a function that ends the polling. */
function poll(engine: EngineState, sessionId: string, onMoved: () => void): () => void {
  const { clock, log, rules } = engine;
  const intervalMs = limitOf(rules, 'followUpPollInterval');
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
