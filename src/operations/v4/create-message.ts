import { isProblem, problem } from '#contract/problems.ts';
import type { Operation } from '../operation.ts';
import type { Caller } from '../common/caller.ts';
import { limitOf } from '#contract/limits.ts';
import type { MessageRow, NewMessage } from '#store/queue.ts';
import type { SessionRow } from '#store/sessions.ts';
import { bodyOf } from './body-of.ts';
import { findSessionOr404 } from '../common/find-session.ts';
import { renderMessage } from './render-session.ts';
import { type WithFiles, messageWithFiles } from './with-files.ts';

interface Send {
  readonly session: SessionRow;
  readonly message: NewMessage;
}

/** POST /sessions/{session_id}/queue (companion 7.8 and 7.10 R3). */
export const createMessage: Operation<Caller, Send, WithFiles<MessageRow>> = {
  async decide(request, caller) {
    const session = await findSessionOr404(request, caller);
    if (isProblem(session)) return session;
    const { text, interrupt = false, attachedFileIds } = bodyOf(request, 'QueueMessage');
    const files = attachedFileIds ?? [];
    // Two messages with files are never the same: each upload belongs to one of them.
    const onlyOnce = 'X-V4-Queue-Deduplicate' in request.headers && files.length === 0;
    return { session, message: { text, interrupt, attachedFileIds: files, onlyOnce } };
  },
  async apply({ session, message }, caller) {
    const sent = await caller.engine.send(session, message);
    if (sent === 'ended') return problem('session_not_found', {});
    if (sent === 'full') return problem('queue_full', { waiting: String(limitOf(caller.rules, 'queuedMessages')) });
    return messageWithFiles(sent, caller);
  },
  render: (message) => ({ status: 200, body: renderMessage(message) }),
};
