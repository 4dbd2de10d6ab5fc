import type { Operation } from '#http/operation.ts';
import type { SessionRow } from '../storage/sessions.ts';
import type { Caller } from '../shared/caller.ts';
import { findSessionOr404 } from '../shared/find-session.ts';
import { renderSession } from './render-session.ts';

/** GET /sessions/{session_id} (contract section 4). */
export const getSession: Operation<Caller, SessionRow, SessionRow> = {
  decide: findSessionOr404,
  apply: async (session) => session,
  render: (session, caller) => ({ status: 200, body: renderSession(session, caller) }),
};
