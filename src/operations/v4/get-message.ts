import type { Operation } from '../operation.ts';
import type { Caller } from '../common/caller.ts';
import type { MessageRow } from '#store/queue.ts';
import { findMessageOr404 } from './find-message.ts';
import { renderMessage } from './render-session.ts';
import { type WithFiles, messageWithFiles } from './with-files.ts';

/** GET /sessions/{session_id}/queue/{message_id} (companion 7.1). */
export const getMessage: Operation<Caller, MessageRow, WithFiles<MessageRow>> = {
  decide: findMessageOr404,
  apply: messageWithFiles,
  render: (message) => ({ status: 200, body: renderMessage(message) }),
};
