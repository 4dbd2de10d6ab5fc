import { endStates } from '#contract/lifecycle.ts';
import { isProblem, problem } from '#contract/problems.ts';
import type { Operation } from '../operation.ts';
import type { Caller } from '../common/caller.ts';
import { findSessionOr404 } from '../common/find-session.ts';
import type { SessionRow } from '#store/sessions.ts';
import { type NamedFile, type OpenForm, openForm, readUpload, renderForm } from './upload-form.ts';

interface Wanted extends NamedFile {
  readonly session: SessionRow;
}

/** POST /files/sessions/{session_id}/presigned-url (companion 5.1 and 5.6): the file goes to the session's own hidden workspace. */
export const createSessionUpload: Operation<Caller, Wanted, OpenForm> = {
  async decide(request, caller) {
    const file = readUpload(request);
    if (isProblem(file)) return file;
    const session = await findSessionOr404(request, caller);
    if (isProblem(session)) return session;
    const hasEnded = endStates(caller.rules.lifecycle, 'session').includes(session.status);
    return hasEnded ? problem('session_stopped', {}) : { ...file, session };
  },
  async apply({ session, ...file }, caller) {
    const workspaceId = await caller.engine.workspaceOf(session);
    return workspaceId === null ? problem('session_not_found', {}) : openForm(caller, workspaceId, file);
  },
  render: renderForm,
};
