import { problem } from '#contract/problems.ts';
import type { Operation } from '../operation.ts';
import type { Caller } from '../common/caller.ts';
import type { MessageRow } from '#store/queue.ts';
import { findMessageOr404 } from './find-message.ts';
import { renderMessage } from './render-session.ts';
import { type WithFiles, messageWithFiles } from './with-files.ts';

/** DELETE /sessions/{session_id}/queue/{message_id} (companion 7.1): answered with the message, not with 204. */
export const deleteMessage: Operation<Caller, MessageRow, WithFiles<MessageRow>> = {
  decide: findMessageOr404,
  async apply(message, caller) {
    const taken = await caller.engine.takeBack(message);
    if (taken !== null) return messageWithFiles(taken, caller);
    return problem('message_not_pending', { status: message.status === 'pending' ? 'consumed' : message.status });
  },
  render: (message) => ({ status: 200, body: renderMessage(message) }),
};
