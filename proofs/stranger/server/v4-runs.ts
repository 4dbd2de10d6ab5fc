/** V4 runs: fetch, status, events, cancel, attachments, list. */
import type { FaultId } from '../faults/index.ts';
import { type Answer, type Call, refuse, text } from './call.ts';
import { type Field, readQuery, requireIds } from './checks.ts';
import { cursorPage } from './pages.ts';
import { cancel, isOpen, takeNext } from './v4-life.ts';
import { runView } from './v4-view.ts';
import type { Json, Run } from './world.ts';

function findRun(call: Call): Run {
  requireIds(call);
  const { faults } = call.world;
  const id = (call.params['run_id'] ?? '').toLowerCase();
  const found = call.project.runs.get(id);
  if (found) {
    const other = [...call.project.runs.values()].find((one) => one !== found);
    const isSwapped = call.operation === 'v4.getRun' && other !== undefined && faults.has('v4-get-other-run');
    return isSwapped ? other : found;
  }
  for (const project of call.world.projects) {
    const foreign = project.runs.get(id);
    if (foreign && faults.has('v4-get-foreign')) return foreign;
  }
  return refuse(call.world, 404, 'Run not found');
}

/** Shows one run. */
export function getRun(call: Call): Answer {
  return { status: 200, body: runView(call, findRun(call)) };
}

/** Shows the state of one run. */
export function getRunStatus(call: Call): Answer {
  const run = findRun(call);
  const { faults } = call.world;
  if (run.status === 'completed' && faults.has('v4-status-stale')) return { status: 200, body: { status: 'running' } };
  if (run.status === 'running' && faults.has('v4-status-early')) return { status: 200, body: { status: 'completed' } };
  return { status: 200, body: { status: run.status } };
}

const eventPage: readonly Field[] = [
  { name: 'after', kind: 'integer', min: 0 },
  { name: 'limit', kind: 'integer', min: 1, max: 1000 },
];

interface EventList {
  readonly items: Json[];
  readonly run: Run;
  readonly call: Call;
  readonly after: number;
}

const eventFaults: Partial<Record<FaultId, (list: EventList) => void>> = {
  'events-reversed': (list) => void list.items.splice(0, Infinity, ...list.items.toReversed()),
  'events-none': (list) => void list.items.splice(0),
  'events-same-id': (list) => {
    for (const [index, item] of list.items.entries()) list.items[index] = { ...item, id: 1 };
  },
  'events-other-run': (list) => {
    const other = [...list.call.project.runs.values()].find((one) => one !== list.run);
    if (other) list.items.splice(0, Infinity, ...other.events.filter((event) => Number(event['id']) > list.after));
  },
  'events-of-all-runs': (list) => {
    const all = [...list.call.project.runs.values()].flatMap((run) => run.events);
    list.items.splice(0, Infinity, ...all.filter((event) => Number(event['id']) > list.after));
  },
  'events-after-inclusive': (list) =>
    void list.items.unshift(...list.run.events.filter((event) => event['id'] === list.after)),
  'events-after-ignored': (list) => void list.items.splice(0, Infinity, ...list.run.events),
  'events-no-end': (list) => {
    const kept = list.items.filter((event) => !/^run\.(completed|failed|cancelled)$/.test(String(event['type'])));
    list.items.splice(0, Infinity, ...kept);
  },
  'events-renumbered': (list) => {
    for (const [index, item] of list.items.entries()) list.items[index] = { ...item, id: list.after + 1000 - index };
  },
  'events-first-lost': (list) => {
    if (list.after === 0) list.items.shift();
  },
};

/** Lists events of a run in the order in which they happened. */
export function listEvents(call: Call): Answer {
  const run = findRun(call);
  const query = readQuery(call, eventPage);
  const after = Number(query['after'] ?? 0);
  const limit = Number(query['limit'] ?? 200);
  const rest = run.events.filter((event) => Number(event['id']) > after);
  const items = rest.slice(0, limit);
  call.world.faults.distort(eventFaults, { items, run, call, after });
  const last: unknown = items.at(-1)?.['id'] ?? after;
  return { status: 200, body: { events: items, nextAfter: last, hasMore: rest.length > items.length } };
}

/** Cancels a run and starts the next queued message of its session. An ended run stays as it is. */
export function postCancel(call: Call): Answer {
  const run = findRun(call);
  const { faults } = call.world;
  const isEnded = !isOpen(run);
  if (isEnded && run.status === 'completed' && faults.has('v4-cancel-changes-ended')) run.status = 'cancelled';
  if (!faults.has('v4-cancel-does-nothing')) cancel(call.world, run);
  if (run.status === 'cancelled' && faults.has('v4-cancel-revives')) run.status = 'running';
  const conversation = call.project.conversations.get(run.sessionId);
  if (conversation) takeNext(call, conversation);
  return { status: 200, body: runView(call, run) };
}

/** Lists the files attached to a run. */
export function listAttachments(call: Call): Answer {
  const run = findRun(call);
  const files = [...(call.project.workspaces.get(run.workspaceId)?.files.values() ?? [])];
  const attachments = files
    .filter((file) => run.attachedFileIds.includes(file.id))
    .map((file) => ({
      id: file.id,
      name: file.path,
      contentType: file.contentType,
      sizeBytes: file.size,
      status: 'uploaded',
    }));
  return { status: 200, body: { attachments } };
}

const runPage: readonly Field[] = [
  { name: 'limit', kind: 'integer', min: 1, max: 100 },
  { name: 'cursor', kind: 'text' },
  { name: 'sessionId', kind: 'uuid' },
];

interface RunList {
  readonly items: Run[];
  readonly all: Run[];
  readonly call: Call;
}

const listFaults: Partial<Record<FaultId, (list: RunList) => void>> = {
  'v4-list-oldest-first': (list) => void list.items.splice(0, Infinity, ...list.items.toReversed()),
  'v4-list-repeats': (list) => void list.items.push(...list.items.slice(0, 1)),
  'v4-list-skips': (list) => void list.items.shift(),
  'v4-list-cursor-ignored': (list) => void list.items.splice(0, Infinity, ...list.all.slice(0, list.items.length)),
  'v4-list-foreign': (list) => {
    for (const project of list.call.world.projects) {
      if (project !== list.call.project) list.items.push(...[...project.runs.values()].slice(0, 1));
    }
  },
};

/** Lists runs, newest first. */
export function listRuns(call: Call): Answer {
  const query = readQuery(call, runPage);
  const { faults } = call.world;
  const isFiltered = query['sessionId'] !== undefined && !faults.has('v4-list-filter-ignored');
  const all = [...call.project.runs.values()]
    .toReversed()
    .filter((run) => !isFiltered || run.sessionId === query['sessionId']);
  const page = cursorPage(call, all, { cursor: text(query, 'cursor'), limit: Number(query['limit'] ?? 50) });
  faults.distort(listFaults, { items: page.items, all, call });
  const runs = page.items.map((run) => runView(call, run));
  return { status: 200, body: { runs, nextCursor: page.nextCursor, hasMore: page.nextCursor !== null } };
}
