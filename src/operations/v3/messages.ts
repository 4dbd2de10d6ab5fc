import { type Problem, isProblem, problem } from '#contract/problems.ts';
import type { Operation, ParsedRequest } from '../operation.ts';
import { type Message, parseMessageEvent } from '#accounts/messages.ts';
import type { RequestContext } from '../common/request-context.ts';
import type { MessageWindow } from '#store/queries/queue.ts';
import { findSessionOr404 } from '../common/sessions.ts';
import type { components } from '#generated/v3.ts';
import { type JsonValue, isJsonObject } from '#lib/json.ts';

interface Wanted extends MessageWindow {
  readonly sessionId: string;
}

interface Found {
  readonly messages: readonly Message[];
  readonly hasMore: boolean;
}

/**
 * Lists the messages of a session: GET /sessions/{session_id}/messages (companion 6.1). A client that follows `after`
 * sees every message once (companion 2 C14); without a cursor the page holds the newest messages (companion 2 C15).
 */
export const listMessages: Operation<RequestContext, Wanted, Found> = {
  async decide(request, context) {
    const session = await findSessionOr404(request, context);
    if (isProblem(session)) return session;
    const after = readCursor(request, session.id, 'after');
    if (isProblem(after)) return after;
    const before = readCursor(request, session.id, 'before');
    if (isProblem(before)) return before;
    return { sessionId: session.id, after, before, limit: Number(request.query['limit']) };
  },
  apply: ({ sessionId, ...window }, { messages }) => messages.page(sessionId, window),
  render: ({ messages, hasMore }, context) => ({
    status: 200,
    body: { messages: messages.map((message) => renderMessage(message, context)), hasMore },
  }),
};

/**
 * Returns the event id of the message that the parameter `after` or `before` names. Returns null without the parameter,
 * and a problem for an id that is no message of the session.
 */
function readCursor({ query }: ParsedRequest, sessionId: string, name: 'after' | 'before'): number | null | Problem {
  const id = query[name];
  if (typeof id !== 'string') return null;
  return parseMessageEvent(sessionId, id) ?? problem('message_unknown', { found: id }, ['query', name]);
}

/**
 * A message whose role is typed as text. The database contains valid roles only, and the response is validated against
 * its schema.
 */
type Rendered = Omit<components['schemas']['Message'], 'role'> & { role: string };

/** Renders a message (companion 6.4). */
function renderMessage(message: Message, { rules, addresses }: RequestContext): Rendered {
  const action = message.event === 'step' ? actionKind(message.data) : null;
  const kind = rules.messages.messages.find(
    ({ event, kinds }) => event === message.event && (kinds === undefined || kinds.some((one) => one === action)),
  );
  if (kind === undefined) throw new Error(`messages: found no row for ${message.event}`);
  return {
    id: message.id,
    sessionId: message.sessionId,
    role: kind.role,
    data: message.data,
    type: kind.type,
    summary: message.summary,
    screenshotUrl: addresses.screenshot(message.screenshotKey),
    hidden: false,
    createdAt: new Date(message.createdAtMs).toISOString(),
  };
}

/** Returns the kind of a step's action; null for an action without a kind. */
function actionKind(action: string): string | null {
  const value: JsonValue = JSON.parse(action);
  const kind = isJsonObject(value) ? value['kind'] : undefined;
  return typeof kind === 'string' ? kind : null;
}
