import type { Operation } from '../operation.ts';
import type { SessionRow } from '#store/sessions.ts';
import type { Caller } from '../common/caller.ts';
import { findSessionOr404 } from '../common/find-session.ts';
import { type SessionWithRecordings, renderDetail } from './render-session.ts';

/** GET /sessions/{session_id} (contract section 4). */
export const getSession: Operation<Caller, SessionRow, SessionWithRecordings> = {
  decide: findSessionOr404,
  // A session without `enableRecording` has no recordings to read.
  apply: (session, { recordings }) =>
    session.enable_recording === 0 ? { session, recordings: [] } : withRecordings(session, recordings),
  render: (found, caller) => ({ status: 200, body: renderDetail(found, caller) }),
};

async function withRecordings(session: SessionRow, recordings: Caller['recordings']): Promise<SessionWithRecordings> {
  return { session, recordings: await recordings.ofCompletedRuns(session.id) };
}
