/** V4 sessions: the conversation that runs belong to, and its queue of messages. */
import type { FaultId } from '../faults/index.ts';
import { flag, refuse, text, type Answer, type Call } from './call.ts';
import { memberProblems, readQuery, requireIds, requireObject, settle, unknownMembers, type Field } from './checks.ts';
import { cursorPage } from './pages.ts';
import { cancel, isOpen, takeNext } from './v4-life.ts';
import { nextSerial, now, type Conversation, type Json } from './world.ts';

function find(call: Call): Conversation {
  requireIds(call);
  const found = call.project.conversations.get((call.params['session_id'] ?? '').toLowerCase());
  return found ?? refuse(call.world, 404, 'Session not found');
}

const viewFaults: Partial<Record<FaultId, (view: Json) => void>> = {
  'conv-latest-run-first': (view) => void (view['latestRunId'] = view['firstRunId']),
  'conv-status-idle': (view) => void (view['status'] = 'idle'),
  'conv-id-named-id': (view) => {
    view['id'] = view['sessionId'];
    delete view['sessionId'];
  },
};

function conversationView(call: Call, conversation: Conversation): Json {
  const { dialect, faults } = call.world;
  const latest = call.project.runs.get(conversation.runIds.at(-1) ?? '');
  const view: Json = {
    sessionId: conversation.id,
    workspaceId: conversation.workspaceId,
    latestRunId: latest?.id,
    firstRunId: conversation.runIds[0],
    task: latest?.task ?? '',
    title: conversation.title ?? latest?.title ?? null,
    status: latest?.status,
    createdAt: dialect.time(conversation.createdAt),
    updatedAt: dialect.time(latest?.updatedAt ?? conversation.createdAt),
  };
  faults.distort(viewFaults, view);
  delete view['firstRunId'];
  return view;
}

/** Shows one session. */
export function getConversation(call: Call): Answer {
  return { status: 200, body: conversationView(call, find(call)) };
}

/** Renames a session. */
export function patchConversation(call: Call): Answer {
  const body = requireObject(call);
  const fields: Field[] = [{ name: 'title', kind: 'text', nullable: true, required: true, max: 255 }];
  settle(call, body, memberProblems(fields, body, ['body']));
  const conversation = find(call);
  if (!call.world.faults.has('conv-rename-ignored')) conversation.title = text(body, 'title');
  return { status: 200, body: conversationView(call, conversation) };
}

/**
 * Deletes a session; its pending messages and its active run are cancelled first. The response for an unknown session
 * is 204 too.
 */
export function deleteConversation(call: Call): Answer {
  requireIds(call);
  const conversation = call.project.conversations.get(call.params['session_id'] ?? '');
  if (!conversation) return { status: 204 };
  for (const message of conversation.queue) if (message['status'] === 'pending') message['status'] = 'cancelled';
  for (const id of conversation.runIds) {
    const run = call.project.runs.get(id);
    if (run && !call.world.faults.has('conv-delete-leaves-run')) cancel(call.world, run);
  }
  call.project.conversations.delete(conversation.id);
  return { status: 204 };
}

const pageFields: readonly Field[] = [
  { name: 'limit', kind: 'integer', min: 1, max: 100 },
  { name: 'cursor', kind: 'text' },
];

/** Lists sessions, newest first. */
export function listConversations(call: Call): Answer {
  const query = readQuery(call, pageFields);
  const all = [...call.project.conversations.values()].toReversed();
  const page = cursorPage(call, all, { cursor: text(query, 'cursor'), limit: Number(query['limit'] ?? 20) });
  const sessions = page.items.map((conversation) => conversationView(call, conversation));
  return { status: 200, body: { sessions, nextCursor: page.nextCursor, hasMore: page.nextCursor !== null } };
}

const messageFields: readonly Field[] = [
  { name: 'text', kind: 'filled', required: true },
  { name: 'interrupt', kind: 'boolean' },
  { name: 'attachedFileIds', kind: 'list', nullable: true, max: 20 },
];

const capacity = 10;

/**
 * Queues a message and starts the first pending message if no run of the session is open. `interrupt` puts the message
 * first and cancels the open run. Throws a 429 `Refusal` for a full queue.
 */
export function postMessage(call: Call): Answer {
  const body = requireObject(call);
  settle(call, body, [
    ...memberProblems(messageFields, body, ['body']),
    ...unknownMembers(messageFields, body, ['body']),
  ]);
  const conversation = find(call);
  const pending = conversation.queue.filter((message) => message['status'] === 'pending');
  if (pending.length >= capacity) refuse(call.world, 429, 'The queue is full');
  const interrupts = flag(body, 'interrupt', false);
  const message: Json = {
    id: nextSerial(call.world),
    sessionId: conversation.id,
    runId: null,
    status: 'pending',
    text: text(body, 'text'),
    attachedFileIds: body['attachedFileIds'] ?? null,
    createdAt: call.world.dialect.time(now(call.world)),
    mode: interrupts ? 'interrupt' : 'queue',
  };
  if (interrupts) conversation.queue.unshift(message);
  else conversation.queue.push(message);
  const active = conversation.runIds.map((id) => call.project.runs.get(id)).find((run) => isOpen(run));
  if (interrupts && active && !call.world.faults.has('queue-interrupt-ignored')) cancel(call.world, active);
  if (!call.world.faults.has('queue-never-taken')) takeNext(call, conversation);
  return { status: 200, body: { ...message } };
}

/** Lists pending messages in the order in which they will start. */
export function listMessages4(call: Call): Answer {
  const conversation = find(call);
  const queue = conversation.queue.filter((message) => message['status'] === 'pending');
  return { status: 200, body: { queue: call.world.faults.has('queue-list-empty') ? [] : queue } };
}

function findMessage(call: Call): Json {
  const written = call.params['message_id'] ?? '';
  const problems = /^\d+$/.test(written)
    ? []
    : [{ loc: ['path', 'message_id'], msg: 'Input should be an integer', type: 'int_parsing' }];
  settle(call, {}, problems);
  const found = find(call).queue.find((message) => message['id'] === Number(written));
  return found ?? refuse(call.world, 404, 'Message not found');
}

/** Shows one message. */
export function getMessage(call: Call): Answer {
  return { status: 200, body: findMessage(call) };
}

/** Deletes a pending message; refused with 409 for any other message. */
export function deleteMessage(call: Call): Answer {
  const message = findMessage(call);
  if (message['status'] !== 'pending') refuse(call.world, 409, 'Message is no longer pending');
  if (!call.world.faults.has('queue-delete-ignored')) message['status'] = 'cancelled';
  return { status: 200, body: { ...message } };
}
