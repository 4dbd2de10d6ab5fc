import { sessionById } from '#store/queries/sessions.ts';
import { closedMeters } from './meters.ts';
import type { EngineState } from './parts.ts';
import type { TaskEndKind } from './task-end.ts';
import { transition } from './transition.ts';

/** Why a session fails: in words, and what its task is told. */
export interface Failure {
  readonly reason: string;
  readonly kind: Extract<TaskEndKind, 'crash' | 'shutdown'>;
  /** The one run that failed: when it has ended already, nothing is written. Absent for whichever waits or runs. */
  readonly runId?: string;
  /** A further condition, asked when it is written. */
  readonly onlyIf?: () => boolean;
  /** Whether it may be the session of another process, which is dead. @defaultValue false */
  readonly evenElsewhere?: boolean;
}

/**
 * Ends a session in `error`, its task as crashed, and gives its sandbox up; a resumable one stays idle without a browser.
 * Without effect on a session that has ended.
 */
export async function failSession(engine: EngineState, sessionId: string, failure: Failure): Promise<void> {
  const { reason, kind, runId, onlyIf, evenElsewhere = false } = failure;
  const resumable = (await sessionById(engine.db, sessionId)).resumable === 1;
  // The transaction may be done again: what an earlier try has closed stays closed.
  let hasClosed = false;
  const isClosedByEarlierTry = (): boolean => hasClosed && engine.sandboxes.get(sessionId) === undefined;
  const moved = await transition(engine, {
    sessionId,
    move: { id: resumable ? 'failRun' : 'failure' },
    set: ({ session, hadRun }) => ({ ...closedMeters(engine, session), ...(hadRun ? { is_task_successful: 0 } : {}) }),
    run: { status: 'crashed', reason, ...(runId === undefined ? {} : { id: runId }) },
    ...(onlyIf === undefined ? {} : { onlyIf: () => onlyIf() || isClosedByEarlierTry() }),
    data: { reason },
    evenElsewhere,
    // Inside the transaction: whatever comes after it finds no sandbox, and no bill is opened for this one any more.
    also: async () => {
      engine.sandboxes.endTasks(sessionId, kind);
      hasClosed = true;
      return { gone: engine.sandboxes.close(sessionId) };
    },
  });
  // Whoever ended the session before has given its sandbox up.
  if (moved === null) return;
  await moved.also?.gone;
  await engine.goOn(sessionId);
}
