import { isProblem } from '#contract/problems.ts';
import type { Operation } from '../operation.ts';
import type { Caller } from '../common/caller.ts';
import type { RunOfSession } from '#store/runs.ts';
import type { SessionRow } from '#store/sessions.ts';
import { bodyOf } from './body-of.ts';
import { findSessionOr404 } from '../common/find-session.ts';
import { renderSession } from './render-session.ts';

interface Rename {
  readonly session: SessionRow;
  readonly title: string | null;
}

/** PATCH /sessions/{session_id} (companion 7.1): the title is all that can be changed. */
export const updateSession: Operation<Caller, Rename, RunOfSession> = {
  async decide(request, caller) {
    const session = await findSessionOr404(request, caller);
    return isProblem(session) ? session : { session, title: bodyOf(request, 'UpdateSession').title };
  },
  apply: async ({ session, title }, { engine }) => engine.latestRun(await engine.rename(session, title)),
  render: (found, caller) => ({ status: 200, body: renderSession(found, caller) }),
};
