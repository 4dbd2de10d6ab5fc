import { randomUUID } from 'node:crypto';
import { type JsonObject, isJsonObject } from '#lib/json.ts';
import type { Mutant } from '../mutant.ts';
import { asks, at, readBody, both, does, queries, rows, says, told, turns, wants } from '../operation-tampers.ts';
import { refuses } from '../tampers.ts';

const server = { server: 'reference' } as const;
const sessions = { ...server, only: ['v2-sessions'] } as const;
const views = { ...server, only: ['v2-task-views'] } as const;

const [creation, list, one] = ['/api/v2/sessions', '/api/v2/sessions', '/api/v2/sessions/*'];
const [tasks, task, statusView] = ['/api/v2/tasks', '/api/v2/tasks/*', '/api/v2/tasks/*/status'];
const getSession = at('GET', one);
const getTask = at('GET', task);
const listTasks = at('GET', tasks);
const asksFor = (action: string) => at('PATCH', task, (seen) => readBody(seen)['action'] === action);
const works = ({ status }: JsonObject): boolean => status === 'started';

/** Replaces an output that begins like a JSON object by plain text. */
function plainText(body: JsonObject): JsonObject {
  const { output } = body;
  return typeof output === 'string' && output.startsWith('{') ? { ...body, output: 'The title was read' } : body;
}

/** Servers whose V2 sessions violate rules of the companion. */
export const v2SessionMutants: readonly Mutant[] = [
  {
    ...sessions,
    id: 'v2-session-not-kept',
    breaks: 'A new V2 session shows keepAlive false although the request omits it.',
    target: 'V2-SES-01',
    tamper: says(at('POST', creation), { keepAlive: false }),
  },
  {
    ...sessions,
    id: 'v2-session-memory-always',
    breaks: 'A new V2 session ignores the requested persistMemory.',
    target: 'V2-SES-01',
    tamper: wants(at('POST', creation), () => ({ persistMemory: undefined })),
  },
  {
    ...sessions,
    id: 'v2-session-forgets-task',
    breaks: 'A V2 session does not show its newest task.',
    target: 'V2-SES-02',
    tamper: rows(getSession, 'tasks', (items) => items.slice(1)),
  },
  {
    ...sessions,
    id: 'v2-session-filter-ignored',
    breaks: 'The list of V2 sessions ignores filterBy.',
    target: 'V2-SES-03',
    tamper: queries(at('GET', list), 'filterBy', () => undefined),
  },
  {
    ...sessions,
    id: 'v2-session-page-size',
    breaks: 'A page of V2 sessions states a different page size than requested.',
    target: 'V2-SES-04',
    tamper: says(at('GET', list), { pageSize: 10 }),
  },
  {
    ...sessions,
    id: 'v2-session-last-page-repeats',
    breaks: 'The page after the last repeats the first V2 sessions.',
    target: 'V2-SES-04',
    tamper: both(
      queries(at('GET', list), 'pageNumber', (page) => (Number(page) > 1000 ? '1' : page)),
      told(at('GET', list), (body, { url }) => (url.includes('1000000') ? { ...body, pageNumber: 1_000_000 } : body)),
    ),
  },
  {
    ...sessions,
    id: 'v2-session-stop-nothing',
    breaks: 'The stop of a V2 session does nothing.',
    target: 'V2-SES-05',
    mayAlso: ['V2-SES-03', 'V2-SES-06'],
    tamper: asks(at('PATCH', one), () => ({ method: 'GET', body: '' })),
  },
  {
    ...sessions,
    id: 'v2-session-always-finished',
    breaks: 'An active V2 session has a time of its end.',
    target: 'V2-SES-06',
    tamper: says(getSession, { finishedAt: '2026-11-01T09:00:00.000Z' }),
  },
  {
    ...sessions,
    id: 'v2-session-not-deleted',
    breaks: 'DELETE of a V2 session answers 204 and does nothing.',
    target: 'V2-SES-07',
    mayAlso: ['V2-SES-08'],
    tamper: does(at('DELETE', one), { status: 204 }),
  },
  {
    ...sessions,
    id: 'v2-session-unknown-text',
    breaks: 'An unknown V2 session is answered with the error text of an unknown route.',
    target: 'V2-SES-08',
    tamper: turns(getSession, 404, { body: { detail: 'Not Found' } }),
  },
  {
    ...sessions,
    id: 'v2-session-share-renewed',
    breaks: 'A second share of a V2 session has another URL.',
    target: 'SHARE-01',
    mayAlso: ['SHARE-02'],
    only: ['shares'],
    tamper: told(at('POST', `${one}/public-share`), (body) => ({ ...body, shareToken: randomUUID() })),
  },
  {
    ...sessions,
    id: 'v2-session-share-stays',
    breaks: 'A share still exists after its DELETE.',
    target: 'SHARE-05',
    mayAlso: ['SHARE-06'],
    only: ['shares'],
    tamper: does(at('DELETE', `${one}/public-share`), { status: 204 }),
  },
  {
    ...sessions,
    id: 'v2-session-purge-404',
    breaks: 'The purge of a V2 session answers 404.',
    target: 'PURGE-01',
    only: ['purge'],
    tamper: turns(at('POST', `${one}/purge`), 403, { status: 404 }),
  },
  {
    ...sessions,
    id: 'v2-session-screen-unbounded',
    breaks: 'A V2 session accepts a screen of any width.',
    target: 'V2-SES-09',
    tamper: wants(at('POST', creation), ({ browserScreenWidth }) =>
      Number(browserScreenWidth) > 6144 ? { browserScreenWidth: 6144 } : {},
    ),
  },
];

/** Servers whose V2 tasks violate rules of the companion. */
export const v2ViewMutants: readonly Mutant[] = [
  {
    ...views,
    id: 'v2-task-created-200',
    breaks: 'V2 task creation answers 200.',
    target: 'V2-VIEW-01',
    tamper: turns(at('POST', tasks), 202, { status: 200 }),
  },
  {
    ...views,
    id: 'v2-task-model-lost',
    breaks: 'Every V2 task shows the default model.',
    target: 'V2-VIEW-02',
    tamper: says(getTask, { llm: 'svc-2.0' }),
  },
  {
    ...views,
    id: 'v2-task-labels-lost',
    breaks: 'A V2 task does not show its metadata.',
    target: 'V2-VIEW-02',
    tamper: says(getTask, { metadata: {} }),
  },
  {
    ...views,
    id: 'v2-task-list-steps',
    breaks: 'The list of V2 tasks contains steps.',
    target: 'V2-VIEW-03',
    tamper: rows(listTasks, 'items', (items) => items.map((item) => ({ ...item, steps: [] }))),
  },
  {
    ...views,
    id: 'v2-task-status-differs',
    breaks: 'The status view of a V2 task shows no output.',
    target: 'V2-VIEW-04',
    tamper: says(at('GET', statusView), { output: null }),
  },
  {
    ...views,
    id: 'v2-task-early-verdict',
    breaks: 'A running V2 task has the status failed.',
    target: 'V2-VIEW-05',
    tamper: told(getTask, (body) => (works(body) ? { ...body, isSuccess: false } : body)),
  },
  {
    ...views,
    id: 'v2-task-times-zoned',
    breaks: 'createdAt of a V2 task is a local time with an offset.',
    target: 'V2-VIEW-06',
    tamper: told(getTask, (body) => ({ ...body, createdAt: String(body['createdAt']).replace('Z', '+01:00') })),
  },
  {
    ...views,
    id: 'v2-task-ends-before-start',
    breaks: 'A V2 task ends before its creation.',
    target: 'V2-VIEW-06',
    mayAlso: ['V2-VIEW-04'],
    tamper: told(getTask, (body) =>
      body['finishedAt'] === null ? body : { ...body, finishedAt: '2020-01-01T00:00:00' },
    ),
  },
  {
    ...server,
    only: ['V2-VIEW-06'],
    id: 'v2-task-end-untimed',
    breaks: 'A V2 task that has ended has no time of its end.',
    target: 'V2-VIEW-06',
    tamper: says(getTask, { finishedAt: null }),
  },
  {
    ...views,
    id: 'v2-task-last-step-only',
    breaks: 'A V2 task shows only its last step.',
    target: 'V2-VIEW-07',
    tamper: rows(getTask, 'steps', (steps) => steps.slice(-1)),
  },
  {
    ...views,
    id: 'v2-task-steps-numbered-alike',
    breaks: 'All steps of a V2 task have the same number.',
    target: 'V2-VIEW-08',
    tamper: rows(getTask, 'steps', (steps) => steps.map((step) => ({ ...step, number: 1 }))),
  },
  {
    ...views,
    id: 'v2-task-actions-words',
    breaks: 'The actions of a step are plain words instead of JSON.',
    target: 'V2-VIEW-08',
    tamper: rows(getTask, 'steps', (steps) => steps.map((step) => ({ ...step, actions: ['opened a page'] }))),
  },
  {
    ...server,
    only: ['V2-VIEW-09'],
    id: 'v2-task-verdict-inverted',
    breaks: 'A V2 task that has reached its goal has isSuccess false.',
    target: 'V2-VIEW-09',
    tamper: told(getTask, (body) => (body['status'] === 'finished' ? { ...body, isSuccess: false } : body)),
  },
  {
    ...views,
    id: 'v2-task-failed-word',
    breaks: 'An unsuccessful V2 task has the status failed.',
    target: 'V2-VIEW-09',
    tamper: both(
      told(getTask, (body) => (body['isSuccess'] === false ? { ...body, status: 'failed' } : body)),
      told(at('GET', statusView), (body) => (body['isSuccess'] === false ? { ...body, status: 'failed' } : body)),
    ),
  },
  {
    ...views,
    id: 'v2-task-log-nowhere',
    breaks: 'The log URL of a V2 task answers 404.',
    target: 'V2-VIEW-10',
    tamper: told(at('GET', '/api/v2/tasks/*/logs'), (body) => ({
      ...body,
      downloadUrl: `${String(body['downloadUrl']).split('?')[0] ?? ''}-gone`,
    })),
  },
  {
    ...views,
    id: 'v2-task-session-filter-ignored',
    breaks: 'The list of V2 tasks ignores sessionId.',
    target: 'V2-VIEW-11',
    mayAlso: ['V2-VIEW-12', 'V2-VIEW-13', 'V2-VIEW-14', 'V2-VIEW-15', 'V2-VIEW-24'],
    tamper: queries(listTasks, 'sessionId', () => undefined),
  },
  {
    ...views,
    id: 'v2-task-status-filter-ignored',
    breaks: 'The list of V2 tasks ignores filterBy.',
    target: 'V2-VIEW-12',
    mayAlso: ['V2-VIEW-24'],
    tamper: queries(listTasks, 'filterBy', () => undefined),
  },
  {
    ...views,
    id: 'v2-task-after-ignored',
    breaks: 'The list of V2 tasks ignores before.',
    target: 'V2-VIEW-13',
    mayAlso: ['V2-VIEW-24'],
    tamper: queries(listTasks, 'before', () => undefined),
  },
  {
    ...views,
    id: 'v2-task-pages-overlap',
    breaks: 'Each page of V2 tasks begins at the start of the previous page.',
    target: 'V2-VIEW-14',
    tamper: queries(listTasks, 'pageNumber', (page) => (Number(page) > 1 ? String(Number(page) - 1) : page)),
  },
  {
    ...views,
    id: 'v2-task-total-of-page',
    breaks: 'totalItems counts only the V2 tasks of the page.',
    target: 'V2-VIEW-14',
    tamper: told(listTasks, (body) => ({
      ...body,
      totalItems: Array.isArray(body['items']) ? body['items'].length : 0,
    })),
  },
  {
    ...views,
    id: 'v2-task-busy-409',
    breaks: 'A V2 task for a busy session is refused with 409.',
    target: 'V2-VIEW-15',
    mayAlso: ['V2-VIEW-16'],
    tamper: turns(at('POST', tasks), 400, { status: 409 }),
  },
  {
    ...views,
    id: 'v2-task-stopped-session-404',
    breaks: 'A V2 task for a stopped session is refused with 404.',
    target: 'V2-VIEW-16',
    mayAlso: ['V2-VIEW-15'],
    tamper: turns(at('POST', tasks), 400, { status: 404 }),
  },
  {
    ...views,
    id: 'v2-task-stop-takes-session',
    breaks: 'The stop of a V2 task also stops its session.',
    target: 'V2-VIEW-17',
    tamper: wants(asksFor('stop'), () => ({ action: 'stop_task_and_session' })),
  },
  {
    ...views,
    id: 'v2-task-stop-leaves-session',
    breaks: 'stop_task_and_session does not stop the V2 session.',
    target: 'V2-VIEW-18',
    mayAlso: ['V2-VIEW-16'],
    tamper: wants(asksFor('stop_task_and_session'), () => ({ action: 'stop' })),
  },
  {
    ...views,
    id: 'v2-task-pause-taken',
    breaks: 'A V2 task accepts the action pause and does nothing.',
    target: 'V2-VIEW-19',
    tamper: asks(asksFor('pause'), () => ({ method: 'GET', body: '' })),
  },
  {
    ...views,
    id: 'v2-task-session-kept',
    breaks: 'A session that a V2 task creates shows keepAlive true.',
    target: 'V2-VIEW-20',
    tamper: says(getSession, { keepAlive: true }),
  },
  {
    ...views,
    id: 'v2-task-structured-words',
    breaks: 'The output of a V2 task with structuredOutput is prose instead of JSON.',
    target: 'V2-VIEW-21',
    tamper: both(told(getTask, plainText), told(at('GET', statusView), plainText)),
  },
  {
    ...views,
    id: 'v2-task-steps-unbounded',
    breaks: 'A V2 task accepts maxSteps above the maximum.',
    target: 'V2-VIEW-22',
    tamper: wants(at('POST', tasks), ({ maxSteps }) => (Number(maxSteps) > 10_000 ? { maxSteps: 10_000 } : {})),
  },
  {
    ...views,
    id: 'v2-task-unknown-text',
    breaks: 'The log of an unknown V2 task is answered with a different error text.',
    target: 'V2-VIEW-23',
    tamper: turns(at('GET', '/api/v2/tasks/*/logs'), 404, { body: { detail: 'Log not found' } }),
  },
  {
    ...views,
    id: 'v2-task-page-clamped',
    breaks: 'A page size of V2 tasks above the maximum is lowered instead of refused.',
    target: 'V2-VIEW-24',
    tamper: queries(listTasks, 'pageSize', (size) => (Number(size) > 100 ? '100' : size)),
  },
  {
    ...views,
    id: 'v2-judged-unasked',
    breaks: 'A V2 task without a judge has a verdict.',
    target: 'V2-VIEW-26',
    mayAlso: ['V2-VIEW-27'],
    tamper: says(getTask, { judgeVerdict: true }),
  },
  {
    ...views,
    id: 'v2-judgement-words',
    breaks: 'The judgement of a V2 task is prose instead of JSON.',
    target: 'V2-VIEW-27',
    mayAlso: ['V2-VIEW-26'],
    tamper: says(getTask, { judgement: 'Well done.', judgeVerdict: true }),
  },
  {
    ...views,
    id: 'v2-judge-refused',
    breaks: 'A V2 task with a judge is refused.',
    target: 'V2-VIEW-27',
    tamper: refuses('/api/v2/tasks', ({ judge }) => judge === true),
  },
  {
    ...views,
    id: 'v2-metadata-cut',
    breaks: 'Metadata of a V2 task after the tenth pair is dropped.',
    target: 'V2-VIEW-25',
    mayAlso: ['V2-VIEW-02'],
    tamper: wants(at('POST', '/api/v2/tasks'), ({ metadata }) =>
      isJsonObject(metadata) ? { metadata: Object.fromEntries(Object.entries(metadata).slice(0, 10)) } : {},
    ),
  },
];

/** Conforming V2 variants, for which no check may fail. */
export const legalV2: readonly Omit<Mutant, 'target'>[] = [
  {
    ...views,
    id: 'v2-legal-order',
    breaks: 'Lists of V2 tasks show the oldest first.',
    tamper: rows(listTasks, 'items', (items) => items.toReversed()),
  },
  {
    ...views,
    id: 'v2-legal-members',
    breaks: 'Records have undocumented members and new screenshot URLs.',
    tamper: told(getTask, (body) => ({
      ...body,
      later: randomUUID(),
      steps: Array.isArray(body['steps'])
        ? body['steps'].map((step) =>
            isJsonObject(step) ? { ...step, screenshotUrl: `http://127.0.0.1/${randomUUID()}` } : step,
          )
        : [],
    })),
  },
  {
    ...sessions,
    id: 'v2-legal-session-tasks',
    breaks: 'A V2 session shows its tasks in another order.',
    tamper: rows(getSession, 'tasks', (items) => items.toReversed()),
  },
];
