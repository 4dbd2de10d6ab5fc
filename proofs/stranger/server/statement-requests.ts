/** Faults in how a request is interpreted and executed, each derived from one sentence of the contract. */
import type { FaultId } from '../faults/index.ts';
import { type Answer, bodyObject, type Call } from './call.ts';
import { type Answered, type ChangesRequest, type Refuses, createBegin, remember } from './moments.ts';
import { isObject } from './outputs.ts';
import { levels, v2Levels } from './tables.ts';
import { createTask, isOpen, openSession, stopTask } from './v2-life.ts';
import { taskView } from './v2-sessions.ts';
import { type Browser, type Json, now, type Project, type Task } from './world.ts';

const names = (call: Call, operation: string): boolean => call.operation === operation;
const endsWith = (call: Call, name: string): boolean => call.operation.endsWith(`.${name}`);
const idIn = (call: Call): string => (Object.values(call.params)[0] ?? '').toLowerCase();
const active = ({ project }: Call): Browser[] =>
  [...project.browsers.values()].filter(({ status }) => status === 'active');
const taskIn = (call: Call): Task | undefined => call.project.tasks.get(idIn(call));
const hasNoLevels = (body: Json): boolean => v2Levels.get(String(body['llm']))?.length === 0;
const isLevel = (value: unknown): boolean => levels.some((level) => level === value);

function end(call: Call, browser: Browser | undefined): boolean {
  if (browser?.status !== 'active') return false;
  Object.assign(browser, { status: 'stopped', finishedAt: now(call.world) });
  return true;
}

type Reads = (value: unknown, body: Json) => unknown;

/**
 * Returns a function that changes a body member in requests for one operation; the new value undefined removes the
 * member. The function returns undefined for any other request, and if nothing changes.
 */
const reads =
  (operation: string, member: string, read: Reads) =>
  (call: Call): Call | undefined => {
    const body = bodyObject(call);
    if (!names(call, operation) || !(member in body)) return undefined;
    const value = read(body[member], body);
    return value === body[member] ? undefined : { ...call, body: { ...body, [member]: value } };
  };

const as =
  (given: readonly unknown[], meant: unknown): Reads =>
  (value) =>
    given.includes(value) ? meant : value;

const where =
  (isTaken: (value: unknown, body: Json) => boolean, meant: unknown): Reads =>
  (value, body) =>
    isTaken(value, body) ? meant : value;

const mapped =
  (meanings: Readonly<Record<string, string>>): Reads =>
  (value) =>
    typeof value === 'string' ? (meanings[value] ?? value) : value;

/** Returns a function that removes `thinkingLevel` from a V2 creation whose body has the given member. */
const levelUnchecked = (member: string): ((call: Call) => Call | undefined) =>
  reads(
    'v2.create',
    'thinkingLevel',
    where((_, body) => member in body, undefined),
  );

const action = (isTaken: (value: unknown) => boolean): ((call: Call) => Call | undefined) =>
  reads('v4.patchBrowser', 'action', where(isTaken, 'stop'));

const statusFor = (operation: string, isHit: (call: Call) => boolean, answer: Answer) => (call: Call) =>
  names(call, operation) && isHit(call) ? answer : undefined;

const failed: Answer = { status: 500, body: { detail: 'Internal Server Error' } };

const firstElement =
  (operation: string) =>
  (call: Call): Call | undefined =>
    names(call, operation) && Array.isArray(call.body)
      ? { ...call, body: (call.body as unknown[])[0] ?? {} }
      : undefined;

const created =
  (operation: string, change: (body: Json) => Json | undefined) =>
  (call: Call): Call | undefined => {
    if (!endsWith(call, operation)) return undefined;
    const body = change(bodyObject(call));
    return body && { ...call, body };
  };

/** Faults that refuse a valid request. */
const refusals: Refuses = {
  'st-br-territories-refused': refusesCountry('aq', 'bv', 'hm'),
  'st-br-xk-refused': refusesCountry('xk'),
  'st-br-islands-refused': refusesCountry('bl', 'mf'),
  'st-br-embargo-refused': refusesCountry('cu', 'ir', 'sy', 'ru'),
  'st-v2-omitted-refused': (body, call) => names(call, 'v2.create') && hasNoLevels(body) && !('thinkingLevel' in body),
  'st-v2-thinking-true-disabled-refused': (body, call) =>
    names(call, 'v2.create') && body['thinking'] === true && body['thinkingLevel'] === 'disabled',
  'st-v2-thinking-false-level-refused': (body, call) =>
    names(call, 'v2.create') && body['thinking'] === false && isLevel(body['thinkingLevel']),
  'st-v2-thinking-false-refused': (body, call) => names(call, 'v2.create') && body['thinking'] === false,
  'st-v2-null-in-session-refused': (body, call) =>
    names(call, 'v2.create') && 'sessionId' in body && body['thinkingLevel'] === null,
  'st-v2-max-steps-refused': (body, call) => names(call, 'v2.create') && body['maxSteps'] === 10_000,
  'st-v2-long-task-refused': (body, call) => names(call, 'v2.create') && String(body['task']).length === 50_000,
  'st-br-width-320-refused': (body, call) => endsWith(call, 'createBrowser') && body['browserScreenWidth'] === 320,
  'st-page-100-refused': (_, call) => call.query.get('pageSize') === '100',
};

function refusesCountry(...codes: readonly string[]): (body: Json, call: Call) => boolean {
  return (body, call) => names(call, 'v4.createBrowser') && codes.includes(String(body['proxyCountryCode']));
}

const former: Readonly<Record<string, string>> = {
  'gemini-3.1-pro': 'gemini-3.1-pro-preview',
  'gemini-3-pro': 'gemini-3-pro-preview',
  'gemini-3-flash': 'gemini-3-flash-preview',
};

const undated: Readonly<Record<string, string>> = {
  'claude-sonnet-4': 'claude-sonnet-4-20250514',
  'claude-sonnet-4-5': 'claude-sonnet-4-5-20250929',
  'claude-opus-4-5': 'claude-opus-4-5-20251101',
  'claude-3-7-sonnet': 'claude-3-7-sonnet-20250219',
};

/** Faults that interpret a request about V2 tasks differently, or answer it. */
const tasksByFault: ChangesRequest = {
  'st-v2-task-object': reads('v2.create', 'task', where(isObject, 'A task')),
  'st-v2-task-null': reads('v2.create', 'task', as([null], 'A task')),
  'st-v2-task-true': reads('v2.create', 'task', as([true, false], 'A task')),
  'st-v2-llm-empty': reads('v2.create', 'llm', as([''], undefined)),
  'st-v2-llm-number': reads(
    'v2.create',
    'llm',
    where((value) => typeof value === 'number', undefined),
  ),
  'st-v2-llm-array': reads('v2.create', 'llm', (value) => (Array.isArray(value) ? (value as unknown[])[0] : value)),
  'st-v2-llm-v3-alias': reads('v2.create', 'llm', as(['svc-mini', 'svc-max', 'svc-ultra'], undefined)),
  'st-v2-llm-v4-name': reads('v2.create', 'llm', as(['gpt-5.6'], 'gpt-5.6-sol')),
  'st-v2-llm-no-preview': reads('v2.create', 'llm', mapped(former)),
  'st-v2-llm-no-date': reads('v2.create', 'llm', mapped(undated)),
  'st-v2-body-text-500': statusFor('v2.create', ({ body }) => typeof body === 'string', failed),
  'st-v2-body-null-500': statusFor('v2.create', ({ body }) => body === null, failed),
  'st-v2-body-empty-500': statusFor('v2.create', ({ body }) => body === undefined, failed),
  'st-v2-body-array-first': firstElement('v2.create'),
  'st-v2-level-object': reads('v2.create', 'thinkingLevel', where(isObject, null)),
  'st-v2-level-none-word': reads('v2.create', 'thinkingLevel', as(['none'], null)),
  'st-v2-level-xhigh-word': reads('v2.create', 'thinkingLevel', as(['xhigh'], null)),
  'st-v2-level-minimal-gemini': reads(
    'v2.create',
    'thinkingLevel',
    where((value, body) => value === 'minimal' && String(body['llm']).startsWith('gemini'), null),
  ),
  'st-v2-level-max-claude': reads(
    'v2.create',
    'thinkingLevel',
    where((value, body) => value === 'max' && String(body['llm']).startsWith('claude'), null),
  ),
  'st-v2-level-any-without-levels': reads(
    'v2.create',
    'thinkingLevel',
    where((value, body) => typeof value === 'string' && !isLevel(value) && hasNoLevels(body), null),
  ),
  'st-v2-disabled-without-levels': reads(
    'v2.create',
    'thinkingLevel',
    where((value, body) => value === 'disabled' && hasNoLevels(body), null),
  ),
  'st-v2-thinking-array': reads('v2.create', 'thinking', where(Array.isArray, true)),
  'st-v2-pair-structured': levelUnchecked('structuredOutput'),
  'st-v2-pair-vision': levelUnchecked('vision'),
  'st-v2-pair-domains': levelUnchecked('allowedDomains'),
  'st-v2-pair-steps': levelUnchecked('maxSteps'),
  'st-v2-pair-settings': levelUnchecked('sessionSettings'),
  'st-v2-pair-judge-llm': reads('v2.create', 'thinkingLevel', (value, body) => {
    const isTaken = v2Levels.get(String(body['judgeLlm']))?.some((level) => level === value) === true;
    return isTaken ? null : value;
  }),
  'st-v2-unicode-500': statusFor(
    'v2.create',
    (call) => /[^\p{ASCII}]/u.test(String(bodyObject(call)['task'])) && typeof bodyObject(call)['task'] === 'string',
    failed,
  ),
  'st-v2-dedupe': (call) => {
    const task = [...call.project.tasks.values()].find((one) => one.task === bodyObject(call)['task']);
    return names(call, 'v2.create') && task
      ? { status: 202, body: { id: task.id, sessionId: task.sessionId } }
      : undefined;
  },
  'st-v2-action-case': reads('v2.patch', 'action', as(['STOP', 'Stop'], 'stop')),
  'st-v2-metadata-previous': (call) => {
    const { metadata } = remember(call.project);
    const isBare = names(call, 'v2.create') && !('metadata' in bodyObject(call)) && isObject(metadata);
    return isBare ? { ...call, body: { ...bodyObject(call), metadata } } : undefined;
  },
  'st-v2-secrets-shown': reads('v2.create', 'metadata', (value, body) =>
    isObject(body['secrets']) && isObject(value) ? { ...value, ...body['secrets'] } : value,
  ),
  'st-v2-long-task-taken': reads('v2.create', 'task', (value) =>
    typeof value === 'string' && value.length === 50_001 ? value.slice(1) : value,
  ),
  'st-v2-stopped-session-used': withoutSession((call, id) => call.project.sessions2.get(id)?.status === 'stopped'),
  'st-v2-busy-session-used': withoutSession((call, id) =>
    [...call.project.tasks.values()].some((task) => task.sessionId === id && isOpen(task)),
  ),
  'st-v2-unknown-session-ignored': withoutSession((call, id) => !call.project.sessions2.has(id)),
};

function withoutSession(isTaken: (call: Call, id: string) => boolean): (call: Call) => Call | undefined {
  return (call) => {
    const id = bodyObject(call)['sessionId'];
    const isHit = names(call, 'v2.create') && typeof id === 'string' && /^[0-9a-f-]{36}$/.test(id) && isTaken(call, id);
    return isHit ? { ...call, body: { ...bodyObject(call), sessionId: undefined } } : undefined;
  };
}

const country = (read: Reads): ((call: Call) => Call | undefined) =>
  reads('v4.createBrowser', 'proxyCountryCode', read);
const browser = (member: string, read: Reads) => (call: Call) =>
  endsWith(call, 'createBrowser') ? reads(call.operation, member, read)(call) : undefined;

/** Faults that interpret a request about browsers differently, or answer it. */
const browsers: ChangesRequest = {
  'st-br-country-eu': country(as(['eu'], 'de')),
  'st-br-country-object': country(where(isObject, 'us')),
  'st-br-country-null-word': country(as(['null', 'none'], null)),
  'st-br-country-region': country(where((value) => /^[a-z]{2}[-_][a-z]{2}$/i.test(String(value)), 'us')),
  'st-br-country-mixed': country(where((value) => /^[A-Z][a-z]$/.test(String(value)), 'us')),
  'st-br-country-two-letters': country(where((value) => typeof value === 'string' && /^[a-z]{2}$/.test(value), 'us')),
  'st-br-body-text-500': statusFor('v4.createBrowser', ({ body }) => typeof body === 'string', failed),
  'st-br-body-array-first': firstElement('v4.createBrowser'),
  'st-br-action-prefix': action((value) => typeof value === 'string' && value.startsWith('stop')),
  'st-br-action-synonym': action((value) => value === 'close' || value === 'terminate'),
  'st-br-action-object': action(isObject),
  'st-br-action-true': action((value) => value === true),
  'st-br-action-array-body': firstElement('v4.patchBrowser'),
  'st-br-action-text-body': (call) =>
    names(call, 'v4.patchBrowser') && call.body === 'stop' ? { ...call, body: { action: 'stop' } } : undefined,
  'st-br-any-action-on-stopped': (call) =>
    names(call, 'v4.patchBrowser') && call.project.browsers.get(idIn(call))?.status === 'stopped'
      ? { ...call, body: { action: 'stop' } }
      : undefined,
  'st-br-unknown-stop-newest': (call) => {
    const newest = active(call).at(-1);
    const isUnknown = /^[0-9a-f-]{36}$/.test(idIn(call)) && !call.project.browsers.has(idIn(call));
    return names(call, 'v4.patchBrowser') && isUnknown && newest && bodyObject(call)['action'] === 'stop'
      ? { ...call, params: { session_id: newest.id } }
      : undefined;
  },
  'st-br-timeout-241-taken': browser('timeout', as([241], 240)),
  'st-br-timeout-text': browser('timeout', (value) =>
    typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value,
  ),
  'st-br-timeout-fraction': browser('timeout', (value) => (typeof value === 'number' ? Math.ceil(value) : value)),
  'st-br-width-6145-taken': browser('browserScreenWidth', as([6145], 6144)),
  'st-br-height-3457-taken': browser('browserScreenHeight', as([3457], 3456)),
  'st-br-labels-11-taken': browser('metadata', (value) =>
    isObject(value) && Object.keys(value).length > 10 ? {} : value,
  ),
  'st-br-labels-numbers': browser('metadata', (value) =>
    isObject(value) && Object.values(value).some((one) => typeof one === 'number') ? {} : value,
  ),
  'st-br-labels-previous': (call) => {
    const last = [...call.project.browsers.values()].at(-1)?.metadata ?? {};
    const isBare = endsWith(call, 'createBrowser') && !('metadata' in bodyObject(call));
    return isBare && Object.keys(last).length > 0
      ? { ...call, body: { ...bodyObject(call), metadata: last } }
      : undefined;
  },
  'st-br-v2-unknown': (call) =>
    names(call, 'v2.getBrowser') && remember(call.project)[`v4 ${idIn(call)}`] === true
      ? { status: 404, body: { detail: 'Session not found' } }
      : undefined,
};

const shortened = (operation: string, member: string, length: number) =>
  created(operation, (body) => {
    const value = body[member];
    return typeof value === 'string' && value.length === length ? { ...body, [member]: value.slice(1) } : undefined;
  });

const named =
  (operation: string, change: (name: string) => string) =>
  (call: Call): Call | undefined => {
    const { name } = bodyObject(call);
    if (!endsWith(call, operation) || typeof name !== 'string') return undefined;
    const meant = change(name);
    return meant === name ? undefined : { ...call, body: { ...bodyObject(call), name: meant } };
  };

/** Faults that interpret a request about profiles, workspaces, files or pages differently, or answer it. */
const stores: ChangesRequest = {
  'st-profile-101-taken': shortened('createProfile', 'name', 101),
  'st-profile-user-256-taken': shortened('createProfile', 'userId', 256),
  'st-profile-patch-clears-user': created('patchProfile', (body) =>
    'userId' in body ? undefined : { ...body, userId: null },
  ),
  'st-profile-own-generation': (call) =>
    names(call, 'v4.getProfile') && remember(call.project)[`v2 ${idIn(call)}`] === true
      ? { status: 404, body: { detail: 'Profile not found' } }
      : undefined,
  'st-profile-name-trimmed': named('createProfile', (name) => name.trim()),
  'st-profile-name-ascii': named('createProfile', (name) => name.replaceAll(/[^\p{ASCII}]/gu, '?')),
  'st-workspace-101-taken': shortened('createWorkspace', 'name', 101),
  'st-file-limit-ignored': (call) => (endsWith(call, 'listFiles') ? withoutQuery(call, 'limit') : undefined),
  'st-file-11-taken': created('upload', (body) =>
    Array.isArray(body['files']) && body['files'].length === 11
      ? { ...body, files: body['files'].slice(1) as unknown[] }
      : undefined,
  ),
  'st-file-size-zero-taken': created('upload', ({ files, ...body }) =>
    Array.isArray(files) && files.some((one) => isObject(one) && one['size'] === 0)
      ? { ...body, files: files.map((one: Json) => ({ ...one, size: 1 })) }
      : undefined,
  ),
  'st-file-path-missing': (call) =>
    endsWith(call, 'deleteFile') && !call.query.has('path') ? { status: 204 } : undefined,
  'st-file-prefix-anywhere': (call) => {
    const prefix = call.query.get('prefix');
    const files = [...(call.project.workspaces.get(idIn(call))?.files.values() ?? [])];
    const isHit = endsWith(call, 'listFiles') && prefix !== null && prefix !== '';
    const hit = isHit ? files.find(({ path }) => path.includes(prefix) && !path.startsWith(prefix)) : undefined;
    return hit ? withoutQuery(call, 'prefix') : undefined;
  },
  'st-page-zero-taken': (call) => (call.query.get('pageNumber') === '0' ? withoutQuery(call, 'pageNumber') : undefined),
  'st-page-101-taken': (call) => (call.query.get('pageSize') === '101' ? withoutQuery(call, 'pageSize') : undefined),
  'st-page-text-taken': (call) =>
    /^[a-z]+$/.test(call.query.get('pageSize') ?? '') ? withoutQuery(call, 'pageSize') : undefined,
};

function withoutQuery(call: Call, name: string): Call | undefined {
  if (!call.query.has(name)) return undefined;
  const query = new URLSearchParams(call.query);
  query.delete(name);
  return { ...call, query };
}

type Holds = (project: Project, id: string) => boolean;

/**
 * Creates a function for the operations whose names match `name`. If another project owns the record, the function
 * returns the call as a call of that project; otherwise it returns undefined.
 */
const asOwner =
  (name: RegExp, holds: Holds) =>
  (call: Call): Call | undefined => {
    const owner = call.world.projects.find((project) => project !== call.project && holds(project, idIn(call)));
    return name.test(call.operation) && owner ? { ...call, project: owner } : undefined;
  };

const holdsWorkspace: Holds = ({ workspaces }, id) => workspaces.has(id);
const holdsSession2: Holds = ({ sessions2 }, id) => sessions2.has(id);
const holdsTask: Holds = ({ tasks }, id) => tasks.has(id);

/** Faults that give access to records of other projects. */
const tenants: ChangesRequest = {
  'st-foreign-profile-rename': asOwner(/patchProfile$/, ({ profiles }, id) => profiles.has(id)),
  'st-foreign-workspace-read': asOwner(/getWorkspace$/, holdsWorkspace),
  'st-foreign-workspace-delete': asOwner(/deleteWorkspace$/, holdsWorkspace),
  'st-foreign-upload': asOwner(/\.upload$/, holdsWorkspace),
  'st-foreign-files': asOwner(/listFiles$/, holdsWorkspace),
  'st-foreign-session2-read': asOwner(/v2\.getSession$/, holdsSession2),
  'st-foreign-session2-stop': asOwner(/v2\.patchSession$/, holdsSession2),
  'st-foreign-share': asOwner(/v2\.share$/, holdsSession2),
  'st-foreign-logs': asOwner(/v2\.logs$/, holdsTask),
  'st-foreign-status': asOwner(/v2\.status$/, holdsTask),
};

/** Faults that act on records before a request is handled; each function returns whether its fault took effect. */
const before: Partial<Record<FaultId, (call: Call) => boolean>> = {
  'st-foreign-task-stop-404': (call) => {
    const owner = call.world.projects.find((project) => project !== call.project && project.tasks.has(idIn(call)));
    const task = owner?.tasks.get(idIn(call));
    if (names(call, 'v2.patch') && task) stopTask(call.world, task);
    return names(call, 'v2.patch') && task !== undefined;
  },
  'st-br-other-generation-ends': (call) =>
    names(call, 'v3.createBrowser') && active(call).filter((one) => end(call, one)).length > 0,
  'st-br-workspace-delete-ends': (call) =>
    endsWith(call, 'deleteWorkspace') && active(call).filter((one) => end(call, one)).length > 0,
  'st-br-v2-session-stop-ends': (call) =>
    names(call, 'v2.patchSession') && active(call).filter((one) => end(call, one)).length > 0,
  'st-br-v3-delete-ends': (call) => names(call, 'v3.delete') && active(call).filter((one) => end(call, one)).length > 0,
  'st-v2-stop-all': (call) => {
    if (!names(call, 'v2.patch')) return false;
    const others = [...call.project.tasks.values()].filter((task) => isOpen(task) && task !== taskIn(call));
    for (const task of others) stopTask(call.world, task);
    return others.length > 0;
  },
  'st-v2-stop-clears-output': (call) => {
    const task = taskIn(call);
    const isHit = names(call, 'v2.patch') && task?.status === 'finished';
    if (isHit) task.output = null;
    return isHit;
  },
  'st-file-delete-prefix': (call) => {
    const path = call.query.get('path') ?? '';
    const files = call.project.workspaces.get(idIn(call))?.files;
    const others = [...(files?.keys() ?? [])].filter((one) => one.startsWith(path) && one !== path);
    if (!endsWith(call, 'deleteFile') || path === '') return false;
    for (const other of others) files?.delete(other);
    return others.length > 0;
  },
};

const beginRequests = createBegin(refusals, { ...tasksByFault, ...browsers, ...stores, ...tenants });

/**
 * With the fault `st-v2-stop-not-kept`, returns a response that shows an open V2 task as stopped, without stopping this
 * task. Returns undefined for any other request.
 */
function pretendStop(call: Call): Answer | undefined {
  const task = taskIn(call);
  const isHit = names(call, 'v2.patch') && task !== undefined && isOpen(task) && bodyObject(call)['action'] === 'stop';
  if (!isHit || !call.world.faults.has('st-v2-stop-not-kept')) return undefined;
  return { status: 200, body: { ...taskView(call, task, 'full'), status: 'stopped' } };
}

/**
 * Applies active faults to a request and to stored records. Returns the request, possibly changed, or a response of a
 * fault. Throws a `Refusal` if a fault refuses the request.
 */
export function beginStatements(call: Call): Call | Answer {
  for (const [id, act] of call.world.faults.entries(before)) if (act(call)) call.world.faults.reached.add(id);
  return pretendStop(call) ?? beginRequests(call);
}

/** Stores data of a request that active faults use in later requests. */
function note({ call, answer }: Answered): void {
  const kept = remember(call.project);
  const { metadata } = bodyObject(call);
  if (names(call, 'v2.create') && isObject(metadata)) kept['metadata'] = metadata;
  if (!isObject(answer.body) || answer.status !== 201) return;
  if (names(call, 'v4.createBrowser')) kept[`v4 ${String(answer.body['id'])}`] = true;
  if (names(call, 'v2.createProfile')) kept[`v2 ${String(answer.body['id'])}`] = true;
}

/**
 * Stores data of a request that active faults use in later requests. With the fault `st-v2-unknown-model-creates` or
 * `st-v2-unknown-level-creates`, creates a V2 task although the creation was refused for its model or its level.
 */
export function actAfter(answered: Answered): void {
  const { call, answer } = answered;
  const { faults } = call.world;
  note(answered);
  if (!names(call, 'v2.create') || answer.status !== 422) return;
  const text = JSON.stringify(answer.body);
  const isModel = text.includes('"llm"') && faults.has('st-v2-unknown-model-creates');
  const isWord = text.includes('one of disabled') && faults.has('st-v2-unknown-level-creates');
  if (isModel || isWord) createTask(call, { task: 'refused' }, openSession(call, {}, true));
}

/**
 * Stores with a follow-up task of a V2 session what active faults use later: the first task of the session and, with
 * the fault `st-v2-second-never-ends`, a mark that the follow-up task must not end.
 */
export function actOnTask({ call, answer }: Answered): void {
  const { faults } = call.world;
  if (!names(call, 'v2.create') || answer.status !== 202 || !isObject(answer.body)) return;
  const task = call.project.tasks.get(String(answer.body['id']));
  if (!task) return;
  const first = [...call.project.tasks.values()].find((one) => one.sessionId === task.sessionId);
  const isSecond = first !== undefined && first !== task;
  if (isSecond && faults.has('st-v2-second-never-ends')) remember(task)['never'] = true;
  if (isSecond) remember(task)['first'] = first;
}
