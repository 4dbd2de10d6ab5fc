import type { components } from '#generated/v3.ts';
import { isProblem } from '#contract/problems.ts';
import type { Operation } from '../operation.ts';
import type { SessionRow } from '#store/sessions.ts';
import { bodyOf } from './body-of.ts';
import type { Caller } from '../common/caller.ts';
import { findSessionOr404 } from '../common/find-session.ts';
import { renderSession } from './render-session.ts';

interface Stop {
  readonly session: SessionRow;
  readonly strategy: components['schemas']['StopStrategy'];
}

/** POST /sessions/{session_id}/stop (contract section 4; path and strategies from companion 6.1 and 6.6). */
export const stopSession: Operation<Caller, Stop, SessionRow> = {
  async decide(request, caller) {
    const session = await findSessionOr404(request, caller);
    if (isProblem(session)) return session;
    return { session, strategy: bodyOf(request, 'StopSession').strategy ?? 'session' };
  },
  apply: ({ session, strategy }, { engine }) => engine.stop(session, strategy),
  render: (session, caller) => ({ status: 200, body: renderSession(session, caller) }),
};
