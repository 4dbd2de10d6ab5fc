import { problem } from '#contract/problems.ts';
import type { Operation } from '../operation.ts';
import type { SessionRow } from '#store/sessions.ts';
import type { Caller } from './caller.ts';
import { findSessionOr404 } from './find-session.ts';

/** POST /sessions/{session_id}/purge of V2 and V4 (companion 3.1, 5.1 and 7.1): answered when everything is erased. */
export const purgeSession: Operation<Caller, SessionRow, null> = {
  decide: (request, caller) =>
    caller.zeroDataRetention ? findSessionOr404(request, caller) : problem('purge_not_allowed', {}),
  async apply(session, { engine }) {
    await engine.purge(session);
    return null;
  },
  render: () => ({ status: 204, body: undefined }),
};
