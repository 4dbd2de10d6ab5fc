import type { Operation } from '../operation.ts';
import type { Caller } from '../common/caller.ts';
import type { SessionRow } from '#store/sessions.ts';
import { findSessionOr404 } from '../common/find-session.ts';
import { type SessionWithTasks, renderDetail, withTasks } from './render-session.ts';

/** PATCH /sessions/{session_id} (companion 5.1): `stop` is the only action there is; it takes the tasks with it. */
export const updateSession: Operation<Caller, SessionRow, SessionWithTasks> = {
  decide: findSessionOr404,
  apply: async (session, caller) => withTasks(await caller.engine.stop(session, 'session'), caller),
  render: (found, caller) => ({ status: 200, body: renderDetail(found, caller) }),
};
