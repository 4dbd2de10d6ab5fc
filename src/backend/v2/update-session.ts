import type { Operation } from '#http/operation.ts';
import type { Caller } from '../shared/caller.ts';
import type { SessionRow } from '../storage/sessions.ts';
import { findSessionOr404 } from '../shared/find-session.ts';
import { type SessionWithTasks, renderDetail, withTasks } from './render-session.ts';

/** PATCH /sessions/{session_id} (companion 5.1): `stop` is the only action there is; it takes the tasks with it. */
export const updateSession: Operation<Caller, SessionRow, SessionWithTasks> = {
  decide: findSessionOr404,
  apply: async (session, caller) => withTasks(await caller.engine.stop(session, 'session'), caller),
  render: (found, caller) => ({ status: 200, body: renderDetail(found, caller) }),
};
