/** V3 sessions: fetch, list, stop, delete, messages. */
import type { FaultId } from '../faults/index.ts';
import { type Answer, type Call, refuse } from './call.ts';
import { type Field, memberProblems, readQuery, requireIds, requireObject, settle } from './checks.ts';
import { advanceSessions } from './v3-life.ts';
import { sessionView } from './v3-view.ts';
import { type Json, now, type Session, type World } from './world.ts';

/** Finds a session of the project, or answers 404. */
export function find(call: Call, id: string): Session {
  advanceSessions(call.world, call.project);
  const { faults } = call.world;
  const found = call.project.sessions.get(id.toLowerCase()) ?? foreign(call, id);
  if (!found) refuse(call.world, 404, 'Session not found');
  if (call.operation === 'v3.get' && call.project.sessions.size > 1 && faults.has('v3-get-other-session')) {
    return [...call.project.sessions.values()].find((one) => one !== found) ?? found;
  }
  return found;
}

function foreign(call: Call, id: string): Session | undefined {
  for (const project of call.world.projects) {
    const found = project.sessions.get(id);
    if (found && project !== call.project && call.world.faults.has('v3-get-foreign')) return found;
  }
  return undefined;
}

/** Shows one session. */
export function getSession(call: Call): Answer {
  requireIds(call);
  const session = find(call, call.params['session_id'] ?? '');
  return { status: 200, body: sessionView(call.world, session, 'get') };
}

const PAGE: readonly Field[] = [
  { name: 'page', kind: 'integer', min: 1 },
  { name: 'page_size', kind: 'integer', min: 1, max: 100 },
];

/** Faults of the list of sessions. */
const LIST_FAULTS: Partial<
  Record<FaultId, (list: { items: Session[]; all: Session[]; total: number; call: Call }) => void>
> = {
  'v3-list-skips-first': (list) => void list.items.shift(),
  'v3-list-repeats': (list) => void list.items.push(...list.items.slice(0, 1)),
  'v3-list-total-off': (list) => void (list.total += 1),
  'v3-list-total-page': (list) => void (list.total = list.items.length),
  'v3-list-page-ignored': (list) => void list.items.splice(0, Infinity, ...list.all.slice(0, list.items.length)),
  'v3-list-empty': (list) => void list.items.splice(0),
  'v3-list-foreign': (list) => {
    for (const project of list.call.world.projects) {
      if (project !== list.call.project) list.items.push(...[...project.sessions.values()].slice(0, 1));
    }
  },
};

/** Lists sessions, newest first. */
export function listSessions(call: Call): Answer {
  const query = readQuery(call, PAGE);
  advanceSessions(call.world, call.project);
  const page = Number(query['page'] ?? 1);
  const size = Number(query['page_size'] ?? 20);
  const all = [...call.project.sessions.values()].toReversed();
  const isSizeIgnored = call.query.has('page_size') && call.world.faults.has('v3-list-size-ignored');
  const items = isSizeIgnored ? [...all] : all.slice((page - 1) * size, page * size);
  const list = { items, all, total: all.length, call };
  call.world.faults.distort(LIST_FAULTS, list);
  const sessions = list.items.map((session) => sessionView(call.world, session, 'list'));
  return { status: 200, body: { sessions, total: list.total, page, pageSize: size } };
}

/** Stops a session, or only its task. */
export function stopSession(call: Call): Answer {
  requireIds(call);
  const body = requireObject(call, true);
  const fields: Field[] = [{ name: 'strategy', kind: 'text', oneOf: ['session', 'task'] }];
  settle(call, body, memberProblems(fields, body, ['body']));
  const session = find(call, call.params['session_id'] ?? '');
  const { world } = call;
  if (isEnded(session)) {
    if (session.status === 'stopped' && world.faults.has('v3-second-stop-revives')) session.status = 'idle';
    if (world.dialect.secondStop === 409) refuse(world, 409, 'Session has ended');
    return { status: 200, body: sessionView(world, session, 'get') };
  }
  if (!world.faults.has('v3-stop-does-nothing')) halt(call, session, body['strategy'] === 'task');
  return { status: 200, body: sessionView(world, session, 'get') };
}

function halt(call: Call, session: Session, isTaskOnly: boolean): void {
  const { world } = call;
  if (session.status === 'running' && world.faults.has('v3-stop-running-ignored')) return;
  if (session.status === 'idle' && world.faults.has('v3-stop-idle-ignored')) return;
  if (!world.faults.has('v3-stop-keeps-working')) session.work?.stop();
  session.work = null;
  session.updatedAt = now(world);
  session.activeAt = now(world);
  session.status = stateAfterStop(world, session, isTaskOnly);
  if (world.faults.has('v3-stop-succeeds')) session.successful = true;
}

function stateAfterStop(world: World, session: Session, isTaskOnly: boolean): Session['status'] {
  if (world.faults.has('v3-stop-ends-error')) return 'error';
  const isIdleAfter = isTaskOnly && session.status !== 'created' && !world.faults.has('v3-stop-task-stops-session');
  return isIdleAfter || world.faults.has('v3-stop-ends-idle') ? 'idle' : 'stopped';
}

function isEnded(session: Session): boolean {
  return ['stopped', 'timed_out', 'error'].includes(session.status);
}

/** Deletes a session; stops it first if it is live. */
export function deleteSession(call: Call): Answer {
  requireIds(call);
  const session = find(call, call.params['session_id'] ?? '');
  session.work?.stop();
  if (!call.world.faults.has('v3-delete-does-nothing')) call.project.sessions.delete(session.id);
  return { status: 204 };
}

const MESSAGE_PAGE: readonly Field[] = [
  { name: 'after', kind: 'uuid' },
  { name: 'before', kind: 'uuid' },
  { name: 'limit', kind: 'integer', min: 1, max: 100 },
];

/** Lists messages of a session in the order in which they were written. */
export function listMessages(call: Call): Answer {
  requireIds(call);
  const query = readQuery(call, MESSAGE_PAGE);
  const { faults } = call.world;
  const session = find(call, call.params['session_id'] ?? '');
  const limit = Number(query['limit'] ?? 10);
  const all = faults.has('v3-messages-reversed') ? session.messages.toReversed() : session.messages;
  const after = all.findIndex((message) => message['id'] === query['after']);
  const before = all.findIndex((message) => message['id'] === query['before']);
  const from = after >= 0 && faults.has('v3-messages-after-inclusive') ? after : after + 1;
  const rest = all.slice(from, before < 0 ? undefined : before);
  const messages = query['after'] === undefined ? rest.slice(-limit) : rest.slice(0, limit);
  if (faults.has('v3-messages-no-human'))
    return { status: 200, body: { messages: withoutHuman(messages), hasMore: false } };
  return { status: 200, body: { messages, hasMore: rest.length > messages.length } };
}

function withoutHuman(messages: readonly Json[]): Json[] {
  return messages.filter((message) => message['role'] !== 'human');
}
