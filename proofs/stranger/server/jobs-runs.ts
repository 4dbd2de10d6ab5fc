/** Faults of V4 runs, queues and workspaces: faults over several runs, reads and events, and simple faults. */
import type { FaultId } from '../faults/index.ts';
import { type Answer, bodyObject, type Call, objectIn } from './call.ts';
import { changeRows } from './jobs-sessions.ts';
import { type ChangesRequest, count, createBegin, type Refuses, remember } from './moments.ts';
import { isObject } from './outputs.ts';
import { providerFor } from './tables.ts';
import { isOpen } from './v4-life.ts';
import { runView } from './v4-view.ts';
import type { Json, Run } from './world.ts';

function named(call: Call): Run | undefined {
  return call.project.runs.get((call.params['run_id'] ?? '').toLowerCase());
}

/** Returns the runs of a session, oldest first. */
function listSessionRuns(call: Call, sessionId: string): Run[] {
  const ids = call.project.conversations.get(sessionId)?.runIds ?? [];
  return ids.flatMap((id) => call.project.runs.get(id) ?? []);
}

function inSession(call: Call, run: Run): Run[] {
  const runs = listSessionRuns(call, run.sessionId);
  return runs.length > 0 ? runs : [run];
}

const isLater = (call: Call, run: Run): boolean => inSession(call, run)[0] !== run;
const hasLater = (call: Call, run: Run): boolean => inSession(call, run).at(-1) !== run;
const isFollowUp = (body: Json, call: Call): boolean =>
  call.operation === 'v4.create' && call.project.conversations.has(String(body['sessionId']));

/** Faults that refuse a valid request. */
const refusals: Refuses = {
  'pl-gemini36-unknown': (body, call) => call.operation === 'v4.create' && body['model'] === 'gemini-3.6-flash',
  'jt-run-follow-up-refused': (body, call) => isFollowUp(body, call),
  'jt-params-own-key': (body, call) =>
    call.operation === 'v4.create' &&
    call.project.ownKeys.has(providerFor(String(body['model']))) &&
    objectIn(objectIn(body, 'modelParams') ?? {}, 'reasoning')?.['effort'] === 'xhigh',
};

/** Faults that change a request before its handler gets the request, or respond in place of the handler. */
const requests: ChangesRequest = {
  'pl-params-empty-text-absent': (call) => {
    const { modelParams, ...body } = bodyObject(call);
    return call.operation === 'v4.create' && modelParams === '' ? { ...call, body } : undefined;
  },
  'pl-queue-text-trimmed': (call) => {
    const body = bodyObject(call);
    const text = String(body['text']);
    return call.operation === 'v4.queue' && text.trim() !== text
      ? { ...call, body: { ...body, text: text.trim() } }
      : undefined;
  },
  'pl-workspace-null-keeps': (call) => {
    const isCleared = call.operation.endsWith('.patchWorkspace') && bodyObject(call)['name'] === null;
    return isCleared ? { ...call, body: {} } : undefined;
  },
  'pl-secret-in-event': (call) => {
    const { task, secretBindings } = bodyObject(call);
    const first: unknown = Array.isArray(secretBindings) ? secretBindings[0] : undefined;
    const source = isObject(first) ? objectIn(first, 'source') : null;
    if (call.operation === 'v4.create' && source) remember(call.project)[`secret ${String(task)}`] = source['value'];
    return undefined;
  },
  'jt-v4-own-key-flag': (call) => {
    const { useOwnKey, ...body } = bodyObject(call);
    return call.operation === 'v4.create' && useOwnKey !== undefined ? { ...call, body } : undefined;
  },
  'jt-run-first-gone': (call) => {
    const run = named(call);
    return run && hasLater(call, run) ? { status: 404, body: { detail: 'Run not found' } } : undefined;
  },
  'jt-run-of-session': (call) => {
    const run = named(call);
    const latest = run && inSession(call, run).at(-1);
    const isOther = call.operation === 'v4.getRun' && latest !== undefined && latest !== run;
    return isOther ? { ...call, params: { run_id: latest.id } } : undefined;
  },
  'jt-run-cancel-later': (call) => {
    const run = named(call);
    const isIgnored = call.operation === 'v4.cancel' && run !== undefined && isOpen(run) && isLater(call, run);
    return isIgnored ? { status: 200, body: runView(call, run) } : undefined;
  },
};

/**
 * Applies active faults to a request. Returns the request, possibly changed, or a response of a fault. Throws a
 * `Refusal` if a fault refuses the request.
 */
export const beginRunJobs = createBegin(refusals, requests);

interface Shown {
  readonly view: Json;
  readonly run: Run;
  readonly call: Call;
}

const views: Partial<Record<FaultId, (shown: Shown) => void>> = {
  'jt-run-result-empty': ({ view, run }) => {
    if (run.status === 'completed' && 'result' in view) view['result'] = '';
  },
  'jt-run-reopened': ({ view, run, call }) => {
    const isReopened = run.status === 'completed' && inSession(call, run).some((one) => isOpen(one));
    if (isReopened) Object.assign(view, { status: 'running', ...('result' in view ? { result: null } : {}) });
  },
  'jt-run-task-of-first': ({ view, run, call }) => {
    if ('task' in view) view['task'] = inSession(call, run)[0]?.task;
  },
  'jt-run-model-of-first': ({ view, run, call }) => {
    if ('model' in view) view['model'] = inSession(call, run)[0]?.model;
  },
  'jt-run-created-of-session': ({ view, run, call }) => {
    if ('createdAt' in view) view['createdAt'] = call.world.dialect.time(inSession(call, run)[0]?.createdAt ?? 0);
  },
  'jt-run-model-at-end': ({ view, run }) => {
    if ('model' in view && run.status === 'completed') view['model'] = 'gpt-5.6-luna';
  },
  'pl-run-task-ascii': ({ view, run }) => {
    if ('task' in view) view['task'] = run.task.replaceAll(/[^ -~\s]/g, '?');
  },
  'pl-run-task-trimmed': ({ view, run }) => {
    if ('task' in view) view['task'] = run.task.trim();
  },
  'pl-run-model-with-params': ({ view, run }) => {
    if ('model' in view && run.modelParams !== null) view['model'] = 'gpt-5.6-luna';
  },
  'jt-run-queued-again': ({ view, run }) => {
    if (run.status === 'running' && count(run, 'looks while running') % 2 === 0) view['status'] = 'queued';
  },
};

interface EventList {
  readonly events: Json[];
  readonly run: Run;
  readonly call: Call;
}

const eventsByFault: Partial<Record<FaultId, (list: EventList) => Json[]>> = {
  'pl-secret-in-event': ({ events, run, call }) => {
    const secret = remember(call.project)[`secret ${run.task}`];
    return secret === undefined
      ? events
      : events.map((event) => (event['type'] === 'tool.called' ? { ...event, data: { typed: secret } } : event));
  },
  'jt-events-late': ({ events, run }) => (isOpen(run) ? [] : events),
  'jt-events-end-early': ({ events, run }) => {
    const last = events.at(-1);
    return run.status === 'running' && last
      ? [...events, { ...last, id: Number(last['id']) + 1, type: 'run.completed', data: {} }]
      : events;
  },
  'jt-events-swapped': ({ events }) => {
    const [first, second, third, ...rest] = events;
    return first && second && third ? [first, third, second, ...rest] : events;
  },
  'jt-events-latest-only': ({ events }) => events.slice(-1),
  'jt-events-read-once': ({ events, run }) => {
    const kept = remember(run);
    const fresh = events.filter((event) => Number(event['id']) > Number(kept['read'] ?? 0));
    kept['read'] = Math.max(Number(kept['read'] ?? 0), ...fresh.map((event) => Number(event['id'])));
    return fresh;
  },
  'jt-events-none-later': ({ events, run, call }) => (isLater(call, run) ? [] : events),
  'jt-events-newest-at-end': ({ events, run }) => (isOpen(run) ? events : events.toReversed()),
  'jt-events-times-fall': ({ events }) => {
    const times = events.map((event) => event['ts']).toReversed();
    return events.map((event, index) => ({ ...event, ts: times[index] }));
  },
};

/** Applies active faults to the run, events or list in a response. */
export function concludeRunJobs(call: Call, answer: Answer): Answer {
  if (!call.operation.startsWith('v4.')) return answer;
  const run = named(call);
  if (run && call.operation === 'v4.events') return showEvents(call, run, answer);
  if (run && ['v4.getRun', 'v4.status', 'v4.cancel'].includes(call.operation)) return showRun(call, run, answer);
  return showRest(call, answer);
}

function showEvents(call: Call, run: Run, answer: Answer): Answer {
  let shown = answer;
  for (const [id, change] of call.world.faults.entries(eventsByFault)) {
    const changed = changeRows(call, shown, {
      operation: 'v4.events',
      member: 'events',
      change: (events) => change({ events, run, call }),
    });
    if (changed !== undefined && call.world.faults.has(id)) shown = changed;
  }
  return shown;
}

function showRun(call: Call, run: Run, answer: Answer): Answer {
  if (!isObject(answer.body) || answer.status >= 300) return answer;
  const view = { ...answer.body };
  for (const [id, change] of call.world.faults.entries(views)) {
    const before = JSON.stringify(view);
    change({ view, run, call });
    if (JSON.stringify(view) !== before) call.world.faults.reached.add(id);
  }
  return { ...answer, body: view };
}

function showRest(call: Call, answer: Answer): Answer {
  const { faults } = call.world;
  if (isFollowUp(bodyObject(call), call) && answer.status === 422) return showRefusal(call, answer);
  if (call.operation === 'v4.getSession') return showConversation(call, answer);
  if (call.operation === 'v4.deleteMessage' && answer.status === 200 && faults.has('pl-queue-delete-204'))
    return { status: 204 };
  const isFiltered = call.query.has('sessionId') && faults.active.has('jt-run-list-first');
  const changed = isFiltered
    ? changeRows(call, answer, { operation: 'v4.list', member: 'runs', change: (rows) => rows.slice(-1) })
    : undefined;
  return changed !== undefined && faults.has('jt-run-list-first') ? changed : answer;
}

function showConversation(call: Call, answer: Answer): Answer {
  const { faults, dialect } = call.world;
  const [first, ...rest] = listSessionRuns(call, call.params['session_id'] ?? '');
  const isLate = first !== undefined && rest.length > 0 && isObject(answer.body);
  if (!isLate || !isObject(answer.body) || !faults.has('jt-conv-updated-first')) return answer;
  return { ...answer, body: { ...answer.body, updatedAt: dialect.time(first.updatedAt) } };
}

function showRefusal(call: Call, answer: Answer): Answer {
  const before = JSON.stringify(answer.body);
  const changed = before.replace(/values: ([^"\\]*)/, (_all, list: string) => `values: ${rotated(list)}`);
  const isChanged = changed !== before && call.world.faults.has('jt-params-unsorted-later');
  return isChanged ? { ...answer, body: JSON.parse(changed) as unknown } : answer;
}

function rotated(list: string): string {
  const values = list.split(', ');
  return values.length > 1 ? [...values.slice(1), ...values.slice(0, 1)].join(', ') : list;
}
