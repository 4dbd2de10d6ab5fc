import type { Operation } from '#http/operation.ts';
import type { Caller } from '../shared/caller.ts';
import type { SessionRow } from '../storage/sessions.ts';
import { findSessionOr404 } from '../shared/find-session.ts';
import { type SessionWithTasks, renderDetail, withTasks } from './render-session.ts';

/** GET /sessions/{session_id} (companion 5.1). */
export const getSession: Operation<Caller, SessionRow, SessionWithTasks> = {
  decide: findSessionOr404,
  apply: withTasks,
  render: (found, caller) => ({ status: 200, body: renderDetail(found, caller) }),
};
