import type { Operation } from '#http/operation.ts';
import type { SessionRow } from '../storage/sessions.ts';
import type { Caller } from '../shared/caller.ts';
import { findOr404 } from './find-or-404.ts';

/** DELETE /sessions/{session_id} (companion 6.1). */
export const deleteSession: Operation<Caller, SessionRow, null> = {
  decide: findOr404,
  async apply(session, { engine }) {
    await engine.remove(session);
    return null;
  },
  render: () => ({ status: 204, body: undefined }),
};
