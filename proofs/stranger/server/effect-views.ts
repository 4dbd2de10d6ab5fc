/** Faults of records and events that are visible when several reads, or several runs, are compared. */
import type { FaultId } from '../faults/index.ts';
import type { Answer, Call } from './call.ts';
import { count, remember } from './moments.ts';
import { isObject } from './outputs.ts';
import { type Browser, type Json, now, type Run, type Task } from './world.ts';

interface Shown<T> {
  readonly view: Json;
  readonly record: T;
  readonly call: Call;
}

type Changes<T> = Partial<Record<FaultId, (shown: Shown<T>) => void>>;

const runs: Changes<Run> = {
  'ef-v4-result-grows': ({ view, record }) => {
    if (typeof view['result'] === 'string') view['result'] = `${view['result']} (${count(record, 'grown')})`;
  },
  'ef-v4-result-first-of-session': ({ view, record, call }) => {
    if (record.result !== null) view['result'] = inSession(call, record)[0]?.result;
  },
  'ef-v4-result-latest-of-session': ({ view, record, call }) => {
    if (record.result !== null) view['result'] = inSession(call, record).findLast((run) => run.result !== null)?.result;
  },
  'ef-v4-result-null-in-follow-up': ({ view, record, call }) => {
    if ('result' in view && inSession(call, record)[0] !== record) view['result'] = null;
  },
  'ef-v4-alive-again': ({ view, record }) => {
    if (record.status !== 'completed' || count(record, 'looks after end') % 3 !== 0) return;
    Object.assign(view, { status: 'running', ...('result' in view ? { result: null } : {}) });
  },
  'ef-v4-record-late': ({ view, record, call }) => {
    const isFresh = record.status === 'completed' && now(call.world) - record.updatedAt < 400;
    if (isFresh && 'result' in view) Object.assign(view, { status: 'running', result: null });
  },
  'ef-v4-results-swapped': ({ view, record, call }) => {
    const other = [...call.project.runs.values()].find(
      (run) => run !== record && run.createdAt < record.updatedAt && run.updatedAt > record.createdAt,
    );
    if ('result' in view && record.result !== null && other?.result) view['result'] = other.result;
  },
};

function inSession(call: Call, run: Run): Run[] {
  const ids = call.project.conversations.get(run.sessionId)?.runIds ?? [run.id];
  return ids.flatMap((id) => call.project.runs.get(id) ?? []);
}

const tasks: Changes<Task> = {
  'ef-v2-output-latest': ({ view, record, call }) => {
    const finished = [...call.project.tasks.values()].filter((task) => task.output !== null);
    const latest = finished.toSorted((a, b) => Number(b.finishedAt) - Number(a.finishedAt))[0];
    if (record.output !== null && latest) view['output'] = latest.output;
  },
  'ef-v2-output-vanishes': ({ view, record }) => {
    if (record.status === 'finished' && count(record, 'looks at output') > 2) view['output'] = null;
  },
  'ef-v2-back-to-started': ({ view, record }) => {
    if (record.status === 'finished' && count(record, 'looks after end') % 3 === 0)
      Object.assign(view, { status: 'started', output: null });
  },
  'ef-v2-stopped-finishes': ({ view, record, call }) => {
    if (record.status === 'stopped' && now(call.world) - Number(record.finishedAt) > 200)
      Object.assign(view, { status: 'finished', output: 'Ready.' });
  },
};

const browsers: Changes<Browser> = {
  'ef-br-refund-undone': ({ view, record, call }) => {
    if (record.status === 'stopped' && count(record, 'looks after stop') > 2)
      view['browserCost'] = call.world.dialect.decimal(record.minutes * 333);
  },
};

interface EventList {
  readonly events: Json[];
  readonly run: Run;
  readonly call: Call;
  readonly hasMore: boolean;
}

const eventsByFault: Partial<Record<FaultId, (list: EventList) => Json[]>> = {
  'ef-events-small-pages-reversed': ({ events, call }) =>
    Number(call.query.get('limit') ?? 200) <= 10 ? events.toReversed() : events,
  'ef-events-lost-between': ({ events, hasMore }) => (hasMore ? events.slice(0, -1) : events),
  'ef-events-renumbered-at-end': (list) =>
    isEnded(list) ? list.events.map((event) => ({ ...event, id: Number(event['id']) + 1000 })) : list.events,
  'ef-events-mixed-in-session': ({ events, run, call }) => {
    const first = inSession(call, run)[0] ?? run;
    const after = Number(call.query.get('after') ?? 0);
    return first === run ? events : [...first.events.filter((event) => Number(event['id']) > after), ...events];
  },
  'ef-events-rewritten': (list) =>
    isEnded(list) ? list.events.map((event) => ({ ...event, ...renamed(event, list.run) })) : list.events,
  'ef-events-inserted': (list) => {
    const [first] = list.events;
    const isStart = Number(list.call.query.get('after') ?? 0) === 0;
    if (!isEnded(list) || !first || !isStart) return list.events;
    return [{ ...first, id: Number(first['id']) - 1, type: 'run.prepared' }, ...list.events];
  },
  'ef-events-twice-while-running': (list) => {
    const last = list.events.at(-1);
    return isEnded(list) || !last ? list.events : [...list.events, { ...last, id: Number(last['id']) + 1 }];
  },
  'ef-events-thinned': (list) =>
    isEnded(list) && list.events.length > 2 ? [...list.events.slice(0, 1), ...list.events.slice(-1)] : list.events,
};

const isEnded = ({ run }: EventList): boolean => run.status === 'completed' || run.status === 'cancelled';

function renamed(event: Json, run: Run): Json {
  return event['id'] === run.events[0]?.['id'] ? { type: 'run.archived' } : {};
}

/** Applies active faults to the runs, tasks, browsers and events in a response. */
export function showEffects(call: Call, answer: Answer): Answer {
  const { body } = answer;
  if (!isObject(body) || answer.status >= 300) return answer;
  const id = (call.params['run_id'] ?? call.params['task_id'] ?? call.params['session_id'] ?? '').toLowerCase();
  const view = { ...body };
  const run = call.project.runs.get(id);
  const task = call.project.tasks.get(id);
  const browser = call.project.browsers.get(id);
  if (run) showRun({ view, record: run, call });
  if (task && ['v2.get', 'v2.status'].includes(call.operation)) apply(tasks, { view, record: task, call });
  if (browser) apply(browsers, { view, record: browser, call });
  joinBurst(call, view);
  return { ...answer, body: view };
}

function showRun(shown: Shown<Run>): void {
  const { operation } = shown.call;
  if (operation === 'v4.getRun' || operation === 'v4.status') apply(runs, shown);
  if (operation === 'v4.events' && Array.isArray(shown.view['events'])) showEvents(shown);
}

function apply<T>(changes: Changes<T>, shown: Shown<T>): void {
  for (const [id, change] of shown.call.world.faults.entries(changes)) {
    const before = JSON.stringify(shown.view);
    change(shown);
    if (JSON.stringify(shown.view) !== before) shown.call.world.faults.reached.add(id);
  }
}

function showEvents({ view, record, call }: Shown<Run>): void {
  const { faults } = call.world;
  const given: unknown[] = Array.isArray(view['events']) ? view['events'] : [];
  const events = given.filter((event) => isObject(event));
  for (const [id, change] of faults.entries(eventsByFault)) {
    const changed = change({ events, run: record, call, hasMore: view['hasMore'] === true });
    if (JSON.stringify(changed) !== JSON.stringify(events)) faults.reached.add(id);
    view['events'] = changed;
  }
}

/** With the fault `ef-v4-id-burst`, a run has the id of the previous run if both were created within 50 ms. */
function joinBurst(call: Call, view: Json): void {
  if (call.operation !== 'v4.create') return;
  const kept = remember(call.project);
  const isBurst = Date.now() - Number(kept['run at'] ?? 0) < 50;
  if (isBurst && call.world.faults.has('ef-v4-id-burst')) view['id'] = kept['run id'];
  Object.assign(kept, { 'run at': Date.now(), 'run id': view['id'] });
}
