import type { Operation } from '#http/operation.ts';
import type { Caller } from '../shared/caller.ts';
import type { RunOfSession } from '../storage/runs.ts';
import type { SessionRow } from '../storage/sessions.ts';
import { findSessionOr404 } from '../shared/find-session.ts';
import { renderSession } from './render-session.ts';

/** GET /sessions/{session_id} (companion 7.1). */
export const getSession: Operation<Caller, SessionRow, RunOfSession> = {
  decide: findSessionOr404,
  apply: (session, { engine }) => engine.latestRun(session),
  render: (found, caller) => ({ status: 200, body: renderSession(found, caller) }),
};
