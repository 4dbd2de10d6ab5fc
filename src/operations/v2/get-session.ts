import type { Operation } from '../operation.ts';
import type { Caller } from '../common/caller.ts';
import type { SessionRow } from '#store/sessions.ts';
import { findSessionOr404 } from '../common/find-session.ts';
import { type SessionWithTasks, renderDetail, withTasks } from './render-session.ts';

/** GET /sessions/{session_id} (companion 5.1). */
export const getSession: Operation<Caller, SessionRow, SessionWithTasks> = {
  decide: findSessionOr404,
  apply: withTasks,
  render: (found, caller) => ({ status: 200, body: renderDetail(found, caller) }),
};
