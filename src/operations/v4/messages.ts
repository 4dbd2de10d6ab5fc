import { isProblem, problem, type Problem } from '#contract/problems.ts';
import type { Operation, ParsedRequest } from '../operation.ts';
import type { RequestContext } from '../common/request-context.ts';
import { checkProvider } from '../common/check-settings.ts';
import { getLimit } from '#contract/rule-book.ts';
import type { MessageRow, NewMessage, InterruptingMessage } from '#store/queries/queue.ts';
import type { SessionRow } from '#store/tables/sessions.ts';
import { readBody } from './body.ts';
import { findSessionOr404 } from '../common/sessions.ts';
import { renderMessage, type WithFiles, messageWithFiles, messagesWithFiles } from './render.ts';

interface Send {
  readonly session: SessionRow;
  readonly message: NewMessage;
}

/** Adds a message to the queue of a session: POST /sessions/{session_id}/queue (companion 7.8 and 7.10 R3). */
export const createMessage: Operation<RequestContext, Send, WithFiles<MessageRow>> = {
  async decide(request, context) {
    const session = await findSessionOr404(request, context);
    if (isProblem(session)) return session;
    // The message runs with the model of the latest run, which can differ from the model of the session.
    const { run } = await context.engine.latestRun(session);
    const refusal = await checkProvider({ model: run.model ?? session.model, member: 'text' }, context);
    if (refusal !== null) return refusal;
    const { text, interrupt = false, attachedFileIds } = readBody(request, 'QueueMessage');
    const files = attachedFileIds ?? [];
    // Messages with files are never duplicates, because an upload belongs to only one message.
    const onlyOnce = 'X-V4-Queue-Deduplicate' in request.headers && files.length === 0;
    return { session, message: { text, interrupt, attachedFileIds: files, onlyOnce } };
  },
  async apply({ session, message }, context) {
    const sent = await context.engine.send(session, message);
    if (sent === 'ended') return problem('session_not_found', {});
    if (sent === 'full') return problem('queue_full', { waiting: String(getLimit(context.rules, 'queuedMessages')) });
    return messageWithFiles(sent, context);
  },
  render: (message) => ({ status: 200, body: renderMessage(message) }),
};

interface Found {
  readonly waiting: readonly WithFiles<MessageRow>[];
  /** Messages of the session that have interrupted a run, whatever the state of the message. */
  readonly cutting: readonly InterruptingMessage[];
}

/** Lists the messages in the queue of a session: GET /sessions/{session_id}/queue (companion 7.1). */
export const listMessages: Operation<RequestContext, SessionRow, Found> = {
  decide: findSessionOr404,
  apply: async (session, context) => ({
    waiting: await messagesWithFiles(await context.engine.pendingMessages(session), context),
    cutting: await context.engine.interruptingMessages(session),
  }),
  render: ({ waiting, cutting }) => ({
    status: 200,
    body: {
      queue: waiting.map(renderMessage),
      steeringCutoffs: cutting.map(({ cutRunId: sourceRunId, createdAt }) => ({
        sourceRunId,
        createdAt: new Date(createdAt).toISOString(),
      })),
    },
  }),
};

/** Returns a queued message: GET /sessions/{session_id}/queue/{message_id} (companion 7.1). */
export const getMessage: Operation<RequestContext, MessageRow, WithFiles<MessageRow>> = {
  decide: findMessageOr404,
  apply: messageWithFiles,
  render: (message) => ({ status: 200, body: renderMessage(message) }),
};

/**
 * Cancels a pending message: DELETE /sessions/{session_id}/queue/{message_id} (companion 7.1). Responds with the
 * message, not with 204. Refuses the request if the message is not pending any more.
 */
export const deleteMessage: Operation<RequestContext, MessageRow, WithFiles<MessageRow>> = {
  decide: findMessageOr404,
  async apply(message, context) {
    const taken = await context.engine.cancelMessage(message);
    if (taken !== null) return messageWithFiles(taken, context);
    return problem('message_not_pending', { status: message.status === 'pending' ? 'consumed' : message.status });
  },
  render: (message) => ({ status: 200, body: renderMessage(message) }),
};

/** Returns the message in the path, or a 404 problem. */
async function findMessageOr404(request: ParsedRequest, context: RequestContext): Promise<MessageRow | Problem> {
  const session = await findSessionOr404(request, context);
  if (isProblem(session)) return session;
  const message = await context.engine.findMessage(session, Number(request.path['message_id']));
  return message ?? problem('message_not_found', {});
}
