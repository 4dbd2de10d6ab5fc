import type { Operation } from '../operation.ts';
import type { Caller } from './caller.ts';
import type { SessionRow } from '#store/sessions.ts';
import { findSessionOr404 } from './find-session.ts';

/** DELETE /sessions/{session_id} (companion 5.1, 6.1 and 7.1): what runs and what waits in it is ended first. */
export const deleteSession: Operation<Caller, SessionRow, null> = {
  decide: findSessionOr404,
  async apply(session, { engine }) {
    await engine.remove(session);
    return null;
  },
  render: () => ({ status: 204, body: undefined }),
};
