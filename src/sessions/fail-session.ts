import { runState } from '#generated/states.ts';
import { sessionById } from '#store/queries/sessions.ts';
import { closedMeters } from './meters.ts';
import type { EngineState } from './engine-deps.ts';
import type { TaskEndKind } from './sandboxes.ts';
import { transition } from './transition.ts';

/** Reason of a failed session, and how its task ends. */
export interface Failure {
  readonly reason: string;
  readonly kind: Extract<TaskEndKind, 'crash' | 'shutdown'>;
  /**
   * Id of the failed run; nothing is written when this run has ended already. If absent, all queued and running runs of
   * the session fail.
   */
  readonly runId?: string;
  /** A further condition, evaluated when the failure is written; if it returns false, nothing is written. */
  readonly onlyIf?: () => boolean;
  /** Whether the session may belong to another process that is dead. @defaultValue false */
  readonly evenElsewhere?: boolean;
}

/**
 * Ends a session in `error` and its task as crashed, and closes its sandbox; a resumable session becomes idle without a
 * browser. Does nothing for an ended session.
 */
export async function failSession(engine: EngineState, sessionId: string, failure: Failure): Promise<void> {
  const { reason, kind, runId, onlyIf, evenElsewhere = false } = failure;
  const resumable = (await sessionById(engine.db, sessionId)).resumable === 1;
  // The transaction may be retried: a sandbox closed by an earlier attempt stays closed.
  let hasClosed = false;
  const isClosedByEarlierTry = (): boolean => hasClosed && engine.sandboxes.get(sessionId) === undefined;
  const moved = await transition(engine, {
    sessionId,
    move: { id: resumable ? 'failRun' : 'failure' },
    set: ({ session, hadRun }) => ({ ...closedMeters(engine, session), ...(hadRun ? { isTaskSuccessful: 0 } : {}) }),
    run: { status: runState.crashed, reason, ...(runId === undefined ? {} : { id: runId }) },
    ...(onlyIf === undefined ? {} : { onlyIf: () => onlyIf() || isClosedByEarlierTry() }),
    data: { reason },
    evenElsewhere,
    // Inside the transaction: later operations find no sandbox, and no bill is opened for it any more.
    also: async () => {
      engine.sandboxes.endTasks(sessionId, kind);
      hasClosed = true;
      return { gone: engine.sandboxes.close(sessionId) };
    },
  });
  // The code that ended the session before has closed its sandbox.
  if (moved === null) return;
  await moved.also?.gone;
  await engine.goOn(sessionId);
}
