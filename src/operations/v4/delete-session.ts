import { type Problem, isProblem } from '#contract/problems.ts';
import type { Operation } from '../operation.ts';
import { deleteSession as deleteLiving } from '../common/delete-session.ts';
import type { Caller } from '../common/caller.ts';
import type { SessionRow } from '#store/sessions.ts';

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
