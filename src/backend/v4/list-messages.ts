import type { Operation } from '#http/operation.ts';
import type { Caller } from '../shared/caller.ts';
import type { MessageRow } from '../storage/queue.ts';
import type { SessionRow } from '../storage/sessions.ts';
import { findSessionOr404 } from '../shared/find-session.ts';
import { renderMessage } from './render-session.ts';
import { type WithFiles, messagesWithFiles } from './with-files.ts';

/** GET /sessions/{session_id}/queue (companion 7.1). */
export const listMessages: Operation<Caller, SessionRow, WithFiles<MessageRow>[]> = {
  decide: findSessionOr404,
  apply: async (session, caller) => messagesWithFiles(await caller.engine.pendingMessages(session), caller),
  render: (messages) => ({ status: 200, body: { queue: messages.map(renderMessage) } }),
};
