/** V2 sessions, their public shares, and the account. Also renders V2 tasks and sessions in responses. */
import { type Answer, bodyObject, type Call, refuse, text } from './call.ts';
import { type Field, memberProblems, readQuery, requireIds, requireObject, settle, unknownMembers } from './checks.ts';
import { pageAnswer } from './pages.ts';
import { closeSession, openSession, stopTask } from './v2-life.ts';
import { type Session2, bill, type Json, now, type Task } from './world.ts';
import type { FaultId } from '../faults/index.ts';

const session2Fields: readonly Field[] = [
  { name: 'profileId', kind: 'uuid', nullable: true },
  { name: 'proxyCountryCode', kind: 'country', nullable: true },
  { name: 'startUrl', kind: 'text', nullable: true },
  { name: 'browserScreenWidth', kind: 'integer', nullable: true, min: 320, max: 6144 },
  { name: 'browserScreenHeight', kind: 'integer', nullable: true, min: 320, max: 3456 },
  { name: 'persistMemory', kind: 'boolean' },
  { name: 'keepAlive', kind: 'boolean' },
  { name: 'customProxy', kind: 'object', nullable: true },
  { name: 'enableRecording', kind: 'boolean' },
];

/** Creates a session without a task. */
export function postSession2(call: Call): Answer {
  const body = requireObject(call, true);
  const problems = memberProblems(session2Fields, body, ['body']);
  if (call.world.dialect.strictBodies) problems.push(...unknownMembers(session2Fields, body, ['body']));
  settle(call, body, problems);
  const profile = text(body, 'profileId');
  if (profile !== null && !call.project.profiles.has(profile)) refuse(call.world, 404, 'Profile not found');
  return { status: 201, body: sessionItem(call, openSession(call, bodyObject(call), false)) };
}

/** Returns the project's session with this id; throws a 404 `Refusal` for an unknown id. */
export function findSession(call: Call, id: string): Session2 {
  const found = call.project.sessions2.get(id.toLowerCase());
  return found ?? refuse(call.world, 404, 'Session not found');
}

/** Shows one session with its tasks. */
export function getSession2(call: Call): Answer {
  requireIds(call);
  return { status: 200, body: sessionDetail(call, findSession(call, call.params['session_id'] ?? '')) };
}

/** Stops a session and its tasks. */
export function patchSession2(call: Call): Answer {
  requireIds(call);
  const body = requireObject(call);
  settle(
    call,
    body,
    memberProblems([{ name: 'action', kind: 'text', required: true, oneOf: ['stop'] }], body, ['body']),
  );
  const session = findSession(call, call.params['session_id'] ?? '');
  for (const task of call.project.tasks.values()) if (task.sessionId === session.id) stopTask(call.world, task);
  if (session.status === 'active') closeSession(call.world, session);
  return { status: 200, body: sessionDetail(call, session) };
}

/** Deletes a session with its tasks. */
export function deleteSession2(call: Call): Answer {
  requireIds(call);
  const session = findSession(call, call.params['session_id'] ?? '');
  for (const task of call.project.tasks.values()) {
    if (task.sessionId !== session.id) continue;
    stopTask(call.world, task);
    call.project.tasks.delete(task.id);
  }
  call.project.sessions2.delete(session.id);
  return { status: 204 };
}

const sessionPage: readonly Field[] = [
  { name: 'pageSize', kind: 'integer', min: 1, max: 100 },
  { name: 'pageNumber', kind: 'integer', min: 1 },
  { name: 'filterBy', kind: 'text', oneOf: ['active', 'stopped'] },
];

/** Lists sessions, newest first. */
export function listSessions2(call: Call): Answer {
  const query = readQuery(call, sessionPage);
  const all = [...call.project.sessions2.values()].toReversed();
  const isFiltered = query['filterBy'] !== undefined && !call.world.faults.has('v2-sessions-filter-ignored');
  const kept = isFiltered ? all.filter((session) => session.status === query['filterBy']) : all;
  return pageAnswer(call, { all: kept, query, show: (session) => sessionItem(call, session) });
}

/** Returns, creates or deletes the public share of a session. */
export function share(call: Call): Answer {
  requireIds(call);
  const session = findSession(call, call.params['session_id'] ?? '');
  if (call.operation === 'v2.unshare') {
    session.share = null;
    return { status: 204 };
  }
  if (call.operation === 'v2.getShare') {
    return session.share ? { status: 200, body: session.share } : refuse(call.world, 404, 'Public share not found');
  }
  const token = call.world.dialect.id();
  session.share ??= {
    shareToken: token,
    shareUrl: `${call.world.url}/share/${token}`,
    viewCount: 0,
    lastViewedAt: null,
  };
  return { status: 201, body: session.share };
}

/** Returns the billing account. */
export function account(call: Call): Answer {
  return {
    status: 200,
    body: {
      name: 'Stranger',
      totalCreditsBalanceUsd: 100,
      monthlyCreditsBalanceUsd: 60,
      additionalCreditsBalanceUsd: 40,
      rateLimit: 50,
      planInfo: {
        planName: 'plan',
        subscriptionStatus: null,
        subscriptionId: null,
        subscriptionCurrentPeriodEnd: null,
        subscriptionCanceledAt: null,
      },
      isFreeTier: false,
      projectId: call.project.id,
    },
  };
}

interface Shown {
  readonly view: Json;
  readonly task: Task;
  readonly call: Call;
  readonly place: 'full' | 'item' | 'status';
}

const viewFaults: Partial<Record<FaultId, (shown: Shown) => void>> = {
  'view2-status-word': ({ view, task }) => void (view['status'] = task.status === 'finished' ? 'done' : view['status']),
  'view2-cost-number': ({ view, task }) => void (view['cost'] = bill(task.meters).total / 1e6),
  'view2-cost-falls': ({ view, task, call }) => {
    if (task.status === 'finished') view['cost'] = call.world.dialect.decimal(1);
  },
  'view2-output-object': ({ view, task }) =>
    void (view['output'] = task.output === null ? null : { text: task.output }),
  'view2-llm-other': ({ view }) => void (view['llm'] = 'gpt-4.1'),
  'view2-task-cut': ({ view, task }) => void (view['task'] = task.task.slice(0, 10)),
  'view2-success-text': ({ view, task }) => void (view['isSuccess'] = task.successful === null ? null : 'yes'),
  'view2-finished-null': ({ view }) => void (view['finishedAt'] = null),
  'view2-finished-early': ({ view, task, call }) => {
    if (task.finishedAt !== null) view['finishedAt'] = call.world.dialect.timeV2(task.createdAt - 5000);
  },
  'view2-metadata-lost': ({ view }) => void (view['metadata'] = {}),
  'view2-session-other': ({ view, call }) => void (view['sessionId'] = call.world.dialect.id()),
  'view2-created-moves': ({ view, call }) => void (view['createdAt'] = call.world.dialect.timeV2(now(call.world))),
  'view2-id-other': ({ view, call }) => void (view['id'] = call.world.dialect.id()),
  'view2-steps-null': ({ view, place }) => {
    if (place === 'full') view['steps'] = null;
  },
  'view2-status-stale': ({ view, task, place }) => {
    if (place === 'status' && task.status === 'finished') view['status'] = 'started';
  },
  'view2-status-early': ({ view, task, place }) => {
    if (place === 'status' && task.status === 'started') view['status'] = 'finished';
  },
  'view2-full-output-missing': ({ view, place }) => {
    if (place === 'full') view['output'] = null;
  },
};

/** Returns the record of a task for a response, changed by active faults. */
export function taskView(call: Call, task: Task, place: Shown['place']): Json {
  const { dialect } = call.world;
  const time = (ms: number | null): string | null => (ms === null ? null : dialect.timeV2(ms));
  const status: Json = {
    id: task.id,
    status: task.status,
    output: task.output,
    finishedAt: time(task.finishedAt),
    isSuccess: task.successful,
    cost: dialect.decimal(bill(task.meters).total),
  };
  const item: Json = {
    ...status,
    sessionId: task.sessionId,
    llm: task.llm,
    task: task.task,
    createdAt: dialect.timeV2(task.createdAt),
    startedAt: time(task.startedAt),
    metadata: task.metadata,
    svcVersion: 'stranger-1',
    judgement: task.judged && task.status === 'finished' ? JSON.stringify({ verdict: task.successful }) : null,
    judgeVerdict: task.judged && task.status === 'finished' ? task.successful : null,
    suggestions: null,
  };
  const full: Json = { ...item, steps: task.steps, outputFiles: task.outputFiles };
  const view = { full, item, status }[place];
  if (dialect.extraMembers) view['links'] = { self: `${call.world.url}/api/v2/tasks/${task.id}` };
  call.world.faults.distort(viewFaults, { view, task, call, place });
  return view;
}

/** Returns the record of a session without its tasks, as in lists and after a creation. */
function sessionItem(call: Call, session: Session2): Json {
  const { dialect } = call.world;
  const isActive = session.status === 'active';
  return {
    id: session.id,
    status: session.status,
    liveUrl: isActive ? `${call.world.url}/live/${session.id}` : null,
    recordingUrl: null,
    startedAt: dialect.time(session.startedAt),
    finishedAt: session.finishedAt === null ? null : dialect.time(session.finishedAt),
    persistMemory: session.persistMemory,
    keepAlive: session.keepAlive,
    proxyUsedMb: '0',
    proxyCost: '0',
  };
}

/** Returns the record of one session for a response, with its tasks. */
export function sessionDetail(call: Call, session: Session2): Json {
  const tasks = [...call.project.tasks.values()].filter((task) => task.sessionId === session.id);
  const shown = tasks.map((task) => taskView(call, task, 'item'));
  return { ...sessionItem(call, session), tasks: shown, publicShareUrl: session.share?.['shareUrl'] ?? null };
}
