import type { Operation } from '../operation.ts';
import type { Caller } from '../common/caller.ts';
import type { RunOfSession } from '#store/runs.ts';
import type { SessionRow } from '#store/sessions.ts';
import { findSessionOr404 } from '../common/find-session.ts';
import { renderSession } from './render-session.ts';

/** GET /sessions/{session_id} (companion 7.1). */
export const getSession: Operation<Caller, SessionRow, RunOfSession> = {
  decide: findSessionOr404,
  apply: (session, { engine }) => engine.latestRun(session),
  render: (found, caller) => ({ status: 200, body: renderSession(found, caller) }),
};
