import { type Problem, isProblem } from '#domain/problems.ts';
import type { Operation } from '#http/operation.ts';
import { deleteSession as deleteLiving } from '../shared/delete-session.ts';
import type { Caller } from '../shared/caller.ts';
import type { SessionRow } from '../storage/sessions.ts';

/** DELETE /sessions/{session_id} of V4 (companion 7.1): idempotent; null stands for a session that is deleted already. */
export const deleteSession: Operation<Caller, SessionRow | null, null> = {
  async decide(request, caller): Promise<SessionRow | null | Problem> {
    const living = await deleteLiving.decide(request, caller);
    if (!isProblem(living)) return living;
    const gone = await caller.engine.wasDeleted(caller.scope, request.path['session_id'] ?? '');
    return gone ? null : living;
  },
  apply: async (session, caller) => (session === null ? null : deleteLiving.apply(session, caller)),
  render: (result, caller) => deleteLiving.render(result, caller),
};
