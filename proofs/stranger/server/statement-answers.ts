/** Faults in texts of refusals, in views and in lists, each derived from one sentence of the contract. */
import type { FaultId } from '../faults/index.ts';
import { browserView } from './browser-view.ts';
import type { Answer, Call } from './call.ts';
import { type Answered, remember, reword } from './moments.ts';
import { isObject } from './outputs.ts';
import { actAfter, actOnTask } from './statement-requests.ts';
import { taskView } from './v2-sessions.ts';
import type { Browser, Json, Project, Task } from './world.ts';

const names = (call: Call, operation: string): boolean => call.operation === operation;
const endsWith = (call: Call, name: string): boolean => call.operation.endsWith(`.${name}`);
const idIn = (call: Call): string => (Object.values(call.params)[0] ?? '').toLowerCase();

/** Returns a function that changes the message about an unsupported level in the refusal of a V2 task. */
const text = (change: (msg: string) => string): ((answered: Answered) => void) =>
  reword((msg, call) => (names(call, 'v2.create') && msg.includes('thinking_level') ? change(msg) : msg));

const list = (change: (values: string[]) => string): ((answered: Answered) => void) =>
  text((msg) => {
    const [head = '', values = ''] = msg.split('Supported values: ');
    return `${head}Supported values: ${values === '' ? '' : change(values.split(', '))}`;
  });

const elements =
  (isHit: (msg: string, loc: string) => boolean, change: (element: Json) => Json) =>
  ({ call, answer }: Answered): void => {
    const { body } = answer;
    if (!names(call, 'v2.create') || answer.status !== 422 || !isObject(body) || !Array.isArray(body['detail'])) return;
    const detail = body['detail'].map((element: Json) =>
      isHit(String(element['msg']), JSON.stringify(element['loc'])) ? change(element) : element,
    );
    answer.body = { ...body, detail };
  };

/** Faults in the responses of refused requests. */
const refusals: Partial<Record<FaultId, (answered: Answered) => void>> = {
  'st-msg-and': list((values) => values.join(', ').replace(/, (\w+)$/, ' and $1')),
  'st-msg-twice': list((values) => [values[0], ...values].join(', ')),
  'st-msg-brackets': list((values) => `[${values.join(', ')}]`),
  'st-msg-quoted-values': list((values) => values.map((value) => `'${value}'`).join(', ')),
  'st-msg-trailing-comma': list((values) => `${values.join(', ')},`),
  'st-msg-single-quotes': text((msg) => msg.replace(/^Model "([^"]+)"/, "Model '$1'")),
  'st-msg-renamed': text((msg) => msg.replace('gemini-3-pro-preview', 'gemini-3.1-pro-preview')),
  'st-msg-value-word': text((msg) => msg.replace(/Supported values: (\w+)$/, 'Supported value: $1')),
  'st-msg-line': text((msg) => msg.replace('. Supported', '.\nSupported')),
  'st-msg-none-lists-all': text((msg) => msg.replace(/values: $/, 'values: disabled, low, medium, high')),
  'st-msg-provider-other-maker': text((msg) => msg.replace('provider "anthropic"', 'provider "openai"')),
  'st-loc-other-member': elements(
    (_, loc) => loc === '["body","llm"]',
    (element) => ({ ...element, loc: ['body', 'task'] }),
  ),
  'st-loc-pair-task': elements(
    (msg) => msg.includes('thinking_level'),
    (element) => ({ ...element, loc: ['body', 'task'] }),
  ),
  'st-loc-nested': elements(
    (_, loc) => loc === '["body","llm"]',
    (element) => ({ ...element, loc: [['body', 'llm']] }),
  ),
  'st-br-patch-detail-object': ({ call, answer }) => {
    if (names(call, 'v4.patchBrowser')) flatten(answer, ([first]) => first);
  },
  'st-v2-patch-detail-text': ({ call, answer }) => {
    if (names(call, 'v2.patch')) flatten(answer, ([first]) => String(first?.['msg']));
  },
};

function flatten(answer: Answered['answer'], change: (detail: Json[]) => unknown): void {
  const { body } = answer;
  if (answer.status === 422 && isObject(body) && Array.isArray(body['detail']))
    answer.body = { detail: change(body['detail'].filter((one) => isObject(one))) };
}

interface Shown {
  readonly view: Json;
  readonly call: Call;
  readonly isItem: boolean;
}

type View<T> = (shown: Shown, record: T) => void;

/** Faults in the record of a V2 task in a response. */
const taskViews: Partial<Record<FaultId, View<Task>>> = {
  'st-v2-output-empty': ({ view }, { status }) => {
    if (status === 'finished') view['output'] = '';
  },
  'st-v2-output-of-first': ({ view }, task) => {
    const { first } = remember(task);
    if (isObject(first) && task.status === 'finished') view['output'] = first['output'];
  },
  'st-v2-second-never-ends': ({ view }, task) => {
    if (remember(task)['never'] !== true) return;
    view['status'] = task.status === 'finished' ? 'started' : view['status'];
    view['output'] = null;
  },
  'st-v2-level-never-starts': ({ view }, task) => {
    if (task.level !== null && task.status !== 'stopped') Object.assign(view, { status: 'created', output: null });
  },
  'st-v2-llm-after-end': ({ view }, { status }) => {
    if (status === 'finished' && 'llm' in view) view['llm'] = 'svc-2.0';
  },
  'st-v2-llm-in-list': ({ view, isItem }) => {
    if (isItem) view['llm'] = 'svc-2.0';
  },
  'st-v2-llm-of-session': ({ view }, task) => {
    const { first } = remember(task);
    if (isObject(first) && 'llm' in view) view['llm'] = first['llm'];
  },
  'st-v2-finished-while-running': ({ view }, { status }) => {
    if (status === 'started') view['finishedAt'] = view['createdAt'] ?? '2026-01-02T03:04:05';
  },
  'st-v2-success-while-running': ({ view }, { status }) => {
    if (status === 'started') view['isSuccess'] = false;
  },
  'st-v2-cost-null': ({ view }, { status }) => {
    if (status === 'finished') view['cost'] = null;
  },
  'st-v2-steps-from-zero': ({ view }) => changeSteps(view, (step) => ({ ...step, number: Number(step['number']) - 1 })),
  'st-v2-actions-objects': ({ view }) => changeSteps(view, (step) => ({ ...step, actions: [{ look: {} }] })),
  'st-v2-judge-unasked': ({ view }, { judged, status }) => {
    if (!judged && status === 'finished' && 'judgeVerdict' in view) view['judgeVerdict'] = true;
  },
};

function changeSteps(view: Json, change: (step: Json) => Json): void {
  if (Array.isArray(view['steps'])) view['steps'] = view['steps'].map((step: Json) => change(step));
}

/** Faults in the record of a browser in a response. */
const browserViews: Partial<Record<FaultId, View<Browser>>> = {
  'st-br-stop-answers-other-id': ({ view, call }) => {
    if (names(call, 'v4.patchBrowser')) view['id'] = call.world.dialect.id();
  },
  'st-br-get-newest-address': ({ view, call }, { status }) => {
    const newest = [...call.project.browsers.values()].findLast((one) => one.status === 'active');
    const isOther = names(call, 'v4.getBrowser') && status === 'active' && newest;
    if (isOther) view['cdpUrl'] = browserView(call, newest, 'item')['cdpUrl'];
  },
  'st-br-null-no-refund': ({ view, call }, browser) => {
    if (browser.country === null && browser.status === 'stopped') view['browserCost'] = fullPrice(call, browser);
  },
  'st-br-timeout-no-refund': ({ view, call }, browser) => {
    if (browser.minutes !== 60 && browser.status === 'stopped') view['browserCost'] = fullPrice(call, browser);
  },
  'st-br-list-full-price': ({ view, call, isItem }, browser) => {
    const isFree = isItem && browser.status === 'stopped';
    if (isFree) view['browserCost'] = fullPrice(call, browser);
  },
  'st-br-active-free': ({ view }, { status }) => {
    if (status === 'active') view['browserCost'] = '0';
  },
};

function fullPrice(call: Call, { minutes }: Browser): string {
  return call.world.dialect.decimal(minutes * 333);
}

/** Faults in responses that none of the other tables covers. */
const answers: Partial<Record<FaultId, (answered: Answered) => void>> = {
  'st-v2-session-newest-task': ({ call, answer }) => {
    const { body } = answer;
    if (names(call, 'v2.getSession') && isObject(body) && Array.isArray(body['tasks']))
      answer.body = { ...body, tasks: body['tasks'].slice(-1) as unknown[] };
  },
  'st-v2-session-finished-null': ({ call, answer }) => {
    if (/^v2\.\w+Sessions?$/.test(call.operation) && isObject(answer.body) && 'finishedAt' in answer.body)
      answer.body = { ...answer.body, finishedAt: null };
  },
  'st-v2-share-lost': ({ call, answer }) => {
    if (names(call, 'v2.getShare')) Object.assign(answer, { status: 404, body: { detail: 'Public share not found' } });
  },
  'st-v2-share-url-null': ({ call, answer }) => {
    if (names(call, 'v2.getSession') && isObject(answer.body) && 'publicShareUrl' in answer.body)
      answer.body = { ...answer.body, publicShareUrl: null };
  },
  'st-workspace-archived-false': ({ answer }) => {
    if (isObject(answer.body) && 'archived' in answer.body) answer.body = { ...answer.body, archived: false };
  },
  'st-v2-deleted-session-listed': ({ call, answer }) => {
    const kept = remember(call.project);
    if (names(call, 'v2.getSession') && isObject(answer.body) && answer.status === 200) {
      const { tasks: _tasks, publicShareUrl: _url, ...item } = answer.body;
      kept[`session ${idIn(call)}`] = item;
    }
    if (names(call, 'v2.deleteSession') && answer.status === 204)
      kept['deleted session'] = kept[`session ${idIn(call)}`];
    const row = kept['deleted session'];
    if (names(call, 'v2.listSessions') && isObject(answer.body) && Array.isArray(answer.body['items']) && isObject(row))
      answer.body = { ...answer.body, items: [row, ...(answer.body['items'] as unknown[])] };
  },
  'st-file-deleted-listed': ({ call, answer }) => {
    const kept = remember(call.project);
    if (endsWith(call, 'deleteFile') && answer.status === 204) kept['deleted file'] = call.query.get('path');
    const path = kept['deleted file'];
    if (!endsWith(call, 'listFiles') || typeof path !== 'string' || !isObject(answer.body)) return;
    const row = { path, size: 1, lastModified: call.world.dialect.time(Date.now()), url: null };
    if (Array.isArray(answer.body['files']))
      answer.body = { ...answer.body, files: [row, ...(answer.body['files'] as unknown[])] };
  },
  'st-file-pages-overlap': ({ call, answer }) => {
    const cursor = /^c(\d+)$/.exec(call.query.get('cursor') ?? '')?.[1];
    const files = [...(call.project.workspaces.get(idIn(call))?.files.values() ?? [])];
    const last = files.filter(({ bytes }) => bytes !== null)[Number(cursor) - 1];
    if (!endsWith(call, 'listFiles') || !last || !isObject(answer.body) || !Array.isArray(answer.body['files'])) return;
    const row = { path: last.path, size: last.size, lastModified: call.world.dialect.time(last.at), url: null };
    answer.body = { ...answer.body, files: [row, ...(answer.body['files'] as unknown[])] };
  },
  'st-v2-tasks-total': ({ call, answer }) => countAll(call, answer, ['v2.list', ['filterBy', 'sessionId'], 'tasks']),
  'st-v2-sessions-total': ({ call, answer }) => countAll(call, answer, ['v2.listSessions', ['filterBy'], 'sessions2']),
  'st-profile-total': ({ call, answer }) =>
    countAll(call, answer, [/listProfiles$/.exec(call.operation) ? call.operation : '', ['query'], 'profiles']),
  'st-foreign-browsers-listed': ({ call, answer }) =>
    addRows(call, answer, [
      'listBrowsers',
      ({ browsers }) => [...browsers.values()].map((one) => browserView(call, one, 'item')),
    ]),
  'st-foreign-profiles-listed': ({ call, answer }) =>
    addRows(call, answer, [
      'listProfiles',
      ({ profiles }) => [...profiles.values()].map((one) => profileRow(call, one)),
    ]),
  'st-foreign-tasks-listed': ({ call, answer }) =>
    addRows(call, answer, ['list', ({ tasks }) => [...tasks.values()].map((one) => taskView(call, one, 'item'))]),
};

function profileRow(
  call: Call,
  one: { id: string; name: string | null; userId: string | null; createdAt: number },
): Json {
  const at = call.world.dialect.time(one.createdAt);
  return {
    id: one.id,
    userId: one.userId,
    name: one.name,
    lastUsedAt: null,
    createdAt: at,
    updatedAt: at,
    cookieDomains: null,
  };
}

function countAll(
  call: Call,
  answer: Answered['answer'],
  [operation, filters, records]: readonly [string, readonly string[], 'tasks' | 'sessions2' | 'profiles'],
): void {
  const isFiltered = names(call, operation) && filters.some((name) => call.query.has(name));
  if (isFiltered && isObject(answer.body) && answer.status === 200)
    answer.body = { ...answer.body, totalItems: call.project[records].size };
}

function addRows(
  call: Call,
  answer: Answered['answer'],
  [name, rows]: readonly [string, (project: Project) => Json[]],
): void {
  const isHit = name === 'list' ? names(call, 'v2.list') : endsWith(call, name);
  if (!isHit || !isObject(answer.body) || !Array.isArray(answer.body['items'])) return;
  const others = call.world.projects.filter((project) => project !== call.project).flatMap((project) => rows(project));
  const items = [...others.slice(-3), ...(answer.body['items'] as unknown[])];
  answer.body = { ...answer.body, items, totalItems: Number(answer.body['totalItems']) + others.length };
}

function show(call: Call, view: Json, isItem: boolean): Json {
  const { faults } = call.world;
  const shown = { view: { ...view }, call, isItem };
  const id = String(view['id']);
  const task = /^v2\.(get|list|status|patch)$/.test(call.operation) ? call.project.tasks.get(id) : undefined;
  const browser = /browser/i.test(call.operation) ? call.project.browsers.get(id) : undefined;
  if (task) for (const [, change] of faults.entries(taskViews)) change(shown, task);
  if (browser) for (const [, change] of faults.entries(browserViews)) change(shown, browser);
  return shown.view;
}

function showAll({ call, answer }: Answered): void {
  const { body } = answer;
  if (answer.status >= 300 || !isObject(body)) return;
  const { items } = body;
  answer.body = Array.isArray(items)
    ? { ...body, items: items.map((item: Json) => show(call, item, true)) }
    : show(call, body, false);
}

/** Applies active faults to a response, and performs their side effects. */
export function concludeStatements(call: Call, given: Answer): Answer {
  const { faults } = call.world;
  const answered: Answered = { call, answer: { status: given.status, body: given.body } };
  actAfter(answered);
  actOnTask(answered);
  if (Buffer.isBuffer(given.body)) return given;
  const before = JSON.stringify(answered.answer);
  for (const [, change] of faults.entries(refusals)) change(answered);
  for (const [, change] of faults.entries(answers)) change(answered);
  showAll(answered);
  if (JSON.stringify(answered.answer) !== before) for (const id of faults.active) faults.reached.add(id);
  return { ...given, ...answered.answer };
}
