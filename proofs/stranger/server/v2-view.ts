/** How V2 tasks and sessions are shown. */
import type { FaultId } from '../faults/index.ts';
import { type Call } from './call.ts';
import { bill, type Json, now, type Session2, type Task } from './world.ts';

interface Shown {
  readonly view: Json;
  readonly task: Task;
  readonly call: Call;
  readonly place: 'full' | 'item' | 'status';
}

const VIEW_FAULTS: Partial<Record<FaultId, (shown: Shown) => void>> = {
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

/** Returns the members that a response shows of a task. */
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
  call.world.faults.distort(VIEW_FAULTS, { view, task, call, place });
  return view;
}

/** Returns the members that a list shows of a session. */
export function sessionItem(call: Call, session: Session2): Json {
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

/** Returns the members that a response shows of one session, with its tasks. */
export function sessionDetail(call: Call, session: Session2): Json {
  const tasks = [...call.project.tasks.values()].filter((task) => task.sessionId === session.id);
  const shown = tasks.map((task) => taskView(call, task, 'item'));
  return { ...sessionItem(call, session), tasks: shown, publicShareUrl: session.share?.['shareUrl'] ?? null };
}
