import { closedMeters } from './meters.ts';
import type { EngineState } from './parts.ts';
import type { TaskEndKind } from './task-end.ts';
import { transition } from './transition.ts';

/** Why a session fails: in words, and what its task is told. */
export interface Failure {
  readonly reason: string;
  readonly kind: Extract<TaskEndKind, 'crash' | 'shutdown'>;
}

/** Ends a session in `error`, its task as crashed, and gives its sandbox up. Without effect on a session that has ended. */
export async function failSession(engine: EngineState, sessionId: string, { reason, kind }: Failure): Promise<void> {
  const moved = await transition(engine, {
    sessionId,
    move: { id: 'failure' },
    set: ({ session, hadRun }) => ({ ...closedMeters(engine, session), ...(hadRun ? { is_task_successful: 0 } : {}) }),
    run: { status: 'crashed', reason },
    data: { reason },
  });
  // Whoever ended the session before has given its sandbox up.
  if (moved === null) return;
  engine.sandboxes.endTask(sessionId, kind);
  await engine.sandboxes.close(sessionId);
}
