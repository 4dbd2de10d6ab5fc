import { type Problem, isProblem, problem } from '#contract/problems.ts';
import type { Operation, ParsedRequest } from '../operation.ts';
import { type Message, eventOfMessage } from '#accounts/messages/index.ts';
import type { Caller } from '../common/caller.ts';
import type { MessageWindow } from '#store/message-events.ts';
import { findSessionOr404 } from '../common/find-session.ts';
import { renderMessage } from './render-message.ts';

interface Wanted extends MessageWindow {
  readonly sessionId: string;
}

interface Found {
  readonly messages: readonly Message[];
  readonly hasMore: boolean;
}

/** GET /sessions/{session_id}/messages (companion 6.1; C14 and C15 say what a client rests on). */
export const listMessages: Operation<Caller, Wanted, Found> = {
  async decide(request, caller) {
    const session = await findSessionOr404(request, caller);
    if (isProblem(session)) return session;
    const after = cursorOf(request, session.id, 'after');
    if (isProblem(after)) return after;
    const before = cursorOf(request, session.id, 'before');
    if (isProblem(before)) return before;
    return { sessionId: session.id, after, before, limit: Number(request.query['limit']) };
  },
  apply: ({ sessionId, ...window }, { messages }) => messages.page(sessionId, window),
  render: ({ messages, hasMore }, caller) => ({
    status: 200,
    body: { messages: messages.map((message) => renderMessage(message, caller)), hasMore },
  }),
};

/** The place that a message stands for; null where none is named. */
function cursorOf({ query }: ParsedRequest, sessionId: string, name: 'after' | 'before'): number | null | Problem {
  const id = query[name];
  if (typeof id !== 'string') return null;
  return eventOfMessage(sessionId, id) ?? problem('message_unknown', { found: id }, ['query', name]);
}
