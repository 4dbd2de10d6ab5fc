import { randomUUID } from 'node:crypto';
import type { JsonObject } from '#lib/json.ts';
import type { Mutant, Seen, Tamper } from '../mutant.ts';
import { at, readBody, both, does, isAt, queries, rows, says, told, turns, wants } from '../operation-tampers.ts';

const server = { server: 'reference' } as const;
const views = { ...server, only: ['v4-run-views'] } as const;
const paged = { ...server, only: ['v4-run-events'] } as const;
const sessions = { ...server, only: ['v4-sessions'] } as const;

const [runs, run, events] = ['/api/v4/runs', '/api/v4/runs/*', '/api/v4/runs/*/events'];
const [sessionList, session] = ['/api/v4/sessions', '/api/v4/sessions/*'];
const getRun = at('GET', run);
const cancelRun = at('POST', `${run}/cancel`);
const listRuns = at('GET', runs);
const createRun = at('POST', runs);
const listEvents = at('GET', events);
const listSessions = at('GET', sessionList);
const getSession = at('GET', session);
const query = ({ url }: Seen, member: string): string | null => new URL(url, 'http://x').searchParams.get(member);
const one = (member: string) => (seen: Seen) => query(seen, member) === '1';

/** Changes `limit=1` to `limit=2` in list requests, and keeps only the last item of each response. */
function skips(method: string, path: string, member: string): Tamper {
  const place = at(method, path, one('limit'));
  return both(
    queries(place, 'limit', () => '2'),
    rows(place, member, (items) => items.slice(-1)),
  );
}

/** Withholds the result in the first fetch of each run. */
function lateResult(): Tamper {
  const shown = new Set<string>();
  return told(getRun, (body, { url }) => {
    const first = !shown.has(url);
    shown.add(url);
    return first ? { ...body, result: null } : body;
  });
}

/** Refuses every cancel of a run except the first. */
function refusesAgain(): Tamper {
  const cancelled = new Set<string>();
  return {
    answer: (seen) => {
      if (!isAt(cancelRun, seen)) return undefined;
      const again = cancelled.has(seen.url);
      cancelled.add(seen.url);
      return again ? { status: 409, body: { detail: 'The run has ended' } } : undefined;
    },
  };
}

/** Servers whose V4 runs violate rules of the companion. */
export const v4ViewMutants: readonly Mutant[] = [
  {
    ...views,
    id: 'v4-status-with-id',
    breaks: 'The status view of a V4 run shows more than the status.',
    target: 'V4-VIEW-01',
    tamper: says(at('GET', `${run}/status`), { progress: 1 }),
  },
  {
    ...views,
    id: 'v4-result-late',
    breaks: 'The result of a V4 run is set after its status becomes terminal.',
    target: 'V4-VIEW-02',
    mayAlso: ['V4-VIEW-05'],
    tamper: lateResult,
  },
  {
    ...views,
    id: 'v4-events-address-dead',
    breaks: 'The URL of the events in the creation response answers 404.',
    target: 'V4-VIEW-03',
    tamper: told(createRun, (body) => ({ ...body, eventsUrl: `/api/v4/runs/${String(body['id'])}/gone` })),
  },
  {
    ...views,
    id: 'v4-run-another-task',
    breaks: 'A V4 run shows its task in other words.',
    target: 'V4-VIEW-04',
    tamper: told(getRun, (body) => ({ ...body, task: `Task: ${String(body['task'])}` })),
    mayAlso: ['V4-VIEW-05'],
  },
  {
    ...views,
    id: 'v4-cancel-touches',
    breaks: 'The cancellation of an ended V4 run changes updatedAt.',
    target: 'V4-VIEW-05',
    tamper: says(cancelRun, { updatedAt: '2099-01-01T00:00:00.000Z' }),
  },
  {
    ...views,
    id: 'v4-cancel-twice-409',
    breaks: 'The cancellation of an ended V4 run is refused.',
    target: 'V4-VIEW-05',
    tamper: refusesAgain,
  },
  {
    ...views,
    id: 'v4-direct-run-400',
    breaks: 'A second V4 run for a busy session is refused with 400.',
    target: 'V4-VIEW-06',
    tamper: turns(createRun, 409, { status: 400 }),
  },
  {
    ...views,
    id: 'v4-follow-up-new-session',
    breaks: 'A V4 run with a sessionId shows another session.',
    target: 'V4-VIEW-07',
    tamper: told(createRun, (body, seen) =>
      'sessionId' in readBody(seen) ? { ...body, sessionId: randomUUID() } : body,
    ),
  },
  {
    ...views,
    id: 'v4-runs-oldest-first',
    breaks: 'V4 runs are listed oldest first.',
    target: 'V4-VIEW-08',
    tamper: rows(listRuns, 'runs', (items) => items.toReversed()),
  },
  {
    ...views,
    id: 'v4-runs-filter-hides',
    breaks: 'The list of V4 runs of a session omits cancelled runs.',
    target: 'V4-VIEW-09',
    mayAlso: ['V4-VIEW-06', 'V4-VIEW-08', 'V4-VIEW-10'],
    tamper: rows(listRuns, 'runs', (items) => items.filter(({ status }) => status !== 'cancelled')),
  },
  {
    ...views,
    id: 'v4-runs-page-skips',
    breaks: 'A page of V4 runs omits a run.',
    target: 'V4-VIEW-10',
    tamper: skips('GET', runs, 'runs'),
  },
  {
    ...views,
    id: 'v4-runs-cursor-on-last-page',
    breaks: 'The last page of V4 runs states that more runs follow.',
    target: 'V4-VIEW-10',
    tamper: told(listRuns, (body) => ({ ...body, hasMore: true })),
  },
  {
    ...views,
    id: 'v4-cursor-422',
    breaks: 'An unknown cursor is refused with 422.',
    target: 'V4-VIEW-11',
    tamper: turns(listSessions, 400, { status: 422 }),
  },
  {
    ...views,
    id: 'v4-unknown-run-403',
    breaks: 'The events of an unknown V4 run are refused with 403.',
    target: 'V4-VIEW-12',
    tamper: turns(listEvents, 404, { status: 403 }),
  },
  {
    ...views,
    id: 'v4-attachments-null',
    breaks: 'A V4 run without files has no list of attachments.',
    target: 'V4-VIEW-14',
    tamper: says(at('GET', `${run}/attachments`), { attachments: null }),
  },
  {
    ...views,
    id: 'v4-ceiling-zero',
    breaks: 'A V4 run accepts maxCostUsd 0.',
    target: 'V4-VIEW-13',
    tamper: wants(createRun, ({ maxCostUsd }) => (maxCostUsd === 0 ? { maxCostUsd: 1 } : {})),
  },
  {
    ...views,
    id: 'v4-model-in-capitals',
    breaks: 'A V4 run accepts the name of a model in capital letters.',
    target: 'V4-VIEW-13',
    tamper: wants(createRun, ({ model }) => (typeof model === 'string' ? { model: model.toLowerCase() } : {})),
  },
];

const anyPage = ['EVT-10', 'EVT-11', 'EVT-12', 'EVT-13', 'EVT-14', 'EVT-15'] as const;

/** Servers with a fault in the pages of events: order, missing or repeated events, cursors, limit, type or run id. */
export const v4EventPageMutants: readonly Mutant[] = [
  {
    ...paged,
    id: 'event-pages-newest-first',
    breaks: 'A page of events begins with the newest event.',
    target: 'EVT-10',
    mayAlso: anyPage,
    tamper: rows(listEvents, 'events', (items) => items.toReversed()),
  },
  {
    ...paged,
    id: 'event-pages-after-inclusive',
    breaks: 'A page repeats the event of its cursor after.',
    target: 'EVT-11',
    mayAlso: anyPage,
    tamper: queries(listEvents, 'after', (after) => String(Math.max(0, Number(after) - 1))),
  },
  {
    ...paged,
    id: 'event-pages-no-cursor-at-end',
    breaks: 'nextAfter is null on the last page of events.',
    target: 'EVT-12',
    tamper: told(listEvents, (body) => (body['hasMore'] === true ? body : { ...body, nextAfter: null })),
  },
  {
    ...paged,
    id: 'event-pages-no-more',
    breaks: 'No page of events states that more events follow.',
    target: 'EVT-13',
    tamper: says(listEvents, { hasMore: false }),
  },
  {
    ...paged,
    id: 'event-pages-skip',
    breaks: 'A page with a limit of one event omits an event.',
    target: 'EVT-14',
    mayAlso: ['EVT-13'],
    tamper: skips('GET', events, 'events'),
  },
  {
    ...paged,
    id: 'event-pages-limit-ignored',
    breaks: 'A page of events ignores limit.',
    target: 'EVT-14',
    mayAlso: ['EVT-13'],
    tamper: queries(listEvents, 'limit', () => undefined),
  },
  {
    ...paged,
    id: 'event-pages-end-word',
    breaks: 'The last event of a run has another type.',
    target: 'EVT-15',
    tamper: rows(listEvents, 'events', (items) =>
      items.map((item) => (item['type'] === 'run.completed' ? { ...item, type: 'run.succeeded' } : item)),
    ),
  },
  {
    server: 'reference',
    only: ['EVT-15'],
    id: 'events-without-creation',
    breaks: 'The events of a run begin with the second one.',
    target: 'EVT-15',
    tamper: rows(listEvents, 'events', (items) => items.filter(({ type }) => type !== 'run.created')),
  },
  {
    ...paged,
    id: 'event-pages-another-run',
    breaks: 'Events contain the id of another run.',
    target: 'EVT-16',
    tamper: rows(listEvents, 'events', (items) => items.map((item) => ({ ...item, runId: randomUUID() }))),
  },
];

/** Servers whose V4 sessions violate rules of the companion. */
export const v4SessionMutants: readonly Mutant[] = [
  {
    ...sessions,
    id: 'v4-session-first-run',
    breaks: 'A V4 session shows another run as its latest.',
    target: 'V4-SES-01',
    tamper: says(getSession, { latestRunId: randomUUID() }),
  },
  {
    ...sessions,
    id: 'v4-session-row-per-run',
    breaks: 'The list of V4 sessions shows a session twice.',
    target: 'V4-SES-02',
    mayAlso: ['V4-SES-03'],
    tamper: rows(listSessions, 'sessions', (items) => items.flatMap((item) => [item, item])),
  },
  {
    ...sessions,
    id: 'v4-session-list-stale',
    breaks: 'The list of V4 sessions shows another latest run.',
    target: 'V4-SES-02',
    tamper: rows(listSessions, 'sessions', (items) => items.map((item) => ({ ...item, latestRunId: randomUUID() }))),
  },
  {
    ...sessions,
    id: 'v4-session-page-too-long',
    breaks: 'A page of V4 sessions ignores limit.',
    target: 'V4-SES-03',
    mayAlso: ['V4-SES-09'],
    tamper: rows(listSessions, 'sessions', (items) => (items.length === 0 ? items : [...items, ...manyRows(items)])),
  },
  {
    ...sessions,
    id: 'v4-session-title-stays',
    breaks: 'The title null does not remove the title of a V4 session.',
    target: 'V4-SES-04',
    tamper: wants(at('PATCH', session), ({ title }) => (title === null ? { title: 'A title of the suite' } : {})),
  },
  {
    ...sessions,
    id: 'v4-session-title-cut',
    breaks: 'A title above the maximum length is truncated.',
    target: 'V4-SES-05',
    tamper: wants(at('PATCH', session), ({ title }) => ({
      title: typeof title === 'string' ? title.slice(0, 255) : null,
    })),
  },
  {
    ...sessions,
    id: 'v4-session-deleted-200',
    breaks: 'DELETE of a V4 session answers 200.',
    target: 'V4-SES-06',
    tamper: turns(at('DELETE', session), 204, { status: 200, body: {} }),
  },
  {
    ...sessions,
    id: 'v4-session-not-deleted',
    breaks: 'DELETE of a V4 session answers 204 and does nothing.',
    target: 'V4-SES-07',
    mayAlso: ['V4-SES-06'],
    tamper: does(at('DELETE', session), { status: 204 }),
  },
  {
    ...sessions,
    id: 'v4-session-unknown-403',
    breaks: 'The queue of an unknown V4 session is refused with 403.',
    target: 'V4-SES-08',
    tamper: turns(at('GET', `${session}/queue`), 404, { status: 403 }),
  },
  {
    ...sessions,
    id: 'v4-session-purge-422',
    breaks: 'The purge of a V4 session is refused with 422.',
    target: 'PURGE-01',
    only: ['purge'],
    tamper: turns(at('POST', `${session}/purge`), 403, { status: 422 }),
  },
  {
    ...sessions,
    id: 'v4-session-limit-clamped',
    breaks: 'A limit of V4 sessions above the maximum is lowered instead of refused.',
    target: 'V4-SES-09',
    tamper: queries(listSessions, 'limit', (limit) => (Number(limit) > 100 ? '100' : limit)),
  },
];

function manyRows(items: readonly JsonObject[]): JsonObject[] {
  return items.flatMap((item) => [
    { ...item, sessionId: randomUUID() },
    { ...item, sessionId: randomUUID() },
  ]);
}

/** Conforming V4 variants, for which no check may fail. */
export const legalV4: readonly Omit<Mutant, 'target'>[] = [
  {
    ...views,
    id: 'v4-legal-created',
    breaks: 'A V4 run has the status running in the creation response, and its record has additional members.',
    tamper: both(
      says(createRun, { status: 'running' }),
      both(says(getRun, { later: 1 }), says(cancelRun, { later: 1 })),
    ),
  },
  {
    ...views,
    id: 'v4-legal-relative-address',
    breaks: 'The URL of the events is a relative path.',
    tamper: told(createRun, (body) => ({
      ...body,
      eventsUrl: new URL(String(body['eventsUrl']), 'http://x').pathname,
    })),
  },
  {
    ...paged,
    id: 'v4-legal-events',
    breaks: 'Events between the first and the last have other types, and events have additional members.',
    tamper: rows(listEvents, 'events', (items) =>
      items.map((item) => ({ ...item, type: String(item['type']).replace('agent.step', 'tool.used'), later: 1 })),
    ),
  },
  {
    ...sessions,
    id: 'v4-legal-second-delete',
    breaks: 'A second DELETE of a V4 session answers 204, and its ended run is still returned.',
    tamper: turns(at('DELETE', session), 404, { status: 204 }),
  },
];
