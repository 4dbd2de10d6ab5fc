/**
 * Simple faults of V2 tasks and sessions, browsers, profiles, workspaces, refusals and lists: they change requests,
 * responses and records.
 */
import type { FaultId } from '../faults/index.ts';
import { type Answer, bodyObject, type Call } from './call.ts';
import { type Answered, type ChangesRequest, type Refuses, createBegin, remember, reword } from './moments.ts';
import { isObject } from './outputs.ts';
import { countries, levels } from './tables.ts';
import { closeSession, isOpen } from './v2-life.ts';
import { sessionDetail, taskView } from './v2-sessions.ts';
import { type Browser, type Json, type Named, now, type Project, type Task } from './world.ts';

const names = (call: Call, operation: string): boolean => call.operation === operation;
const endsWith = (call: Call, name: string): boolean => call.operation.endsWith(`.${name}`);
const idIn = (call: Call): string => (Object.values(call.params)[0] ?? '').toLowerCase();
const browserIn = (call: Call): Browser | undefined => call.project.browsers.get(idIn(call));
const taskIn = (call: Call): Task | undefined => call.project.tasks.get(idIn(call));
const profileIn = (call: Call): Named | undefined => call.project.profiles.get(idIn(call));
const active = (call: Call): Browser[] => [...call.project.browsers.values()].filter((one) => one.status === 'active');
const isListed = (value: unknown, known: readonly string[]): boolean =>
  typeof value !== 'string' || known.includes(value);

function end(call: Call, browser: Browser | undefined): boolean {
  if (browser?.status !== 'active') return false;
  Object.assign(browser, { status: 'stopped', finishedAt: now(call.world) });
  return true;
}

function foreignOwner(call: Call, holds: (project: Project) => boolean): Project | undefined {
  return call.world.projects.find((project) => project !== call.project && holds(project));
}

function withBody(call: Call, change: (body: Json) => Json): Call {
  return { ...call, body: change(bodyObject(call)) };
}

function without(body: Json, name: string): Json {
  return Object.fromEntries(Object.entries(body).filter(([member]) => member !== name));
}

function withoutQuery(call: Call, name: string): Call | undefined {
  if (!call.query.has(name)) return undefined;
  const query = new URLSearchParams(call.query);
  query.delete(name);
  return { ...call, query };
}

function withQuery(call: Call, entries: readonly (readonly [string, string])[]): Call {
  return { ...call, query: new URLSearchParams(entries.map(([name, value]): [string, string] => [name, value])) };
}

/** Faults that refuse a valid request. */
const refusals: Refuses = {
  'pl-v2-sonnet45-refused': (body, call) => names(call, 'v2.create') && body['llm'] === 'claude-sonnet-4-5-20250929',
  'pl-br-null-beside-others-refused': (body, call) =>
    names(call, 'v4.createBrowser') && body['proxyCountryCode'] === null && Object.keys(body).length > 1,
  'pl-br-former-codes-refused': (body, call) =>
    names(call, 'v4.createBrowser') && ['an', 'cs'].includes(String(body['proxyCountryCode'])),
  'pl-profile-name-100-refused': (body, call) =>
    endsWith(call, 'createProfile') && typeof body['name'] === 'string' && body['name'].length === 100,
};

/**
 * Faults in requests that create, change or delete a record, or read a profile of another project. Each fault changes
 * such a request, or answers it.
 */
const writes: ChangesRequest = {
  'pl-v2-default-model-level-any': (call) =>
    names(call, 'v2.create') && !('llm' in bodyObject(call)) && !isListed(bodyObject(call)['thinkingLevel'], levels)
      ? withBody(call, (body) => without(body, 'thinkingLevel'))
      : undefined,
  'pl-v2-level-any-in-session': (call) =>
    names(call, 'v2.create') && 'sessionId' in bodyObject(call) && !isListed(bodyObject(call)['thinkingLevel'], levels)
      ? withBody(call, (body) => without(body, 'thinkingLevel'))
      : undefined,
  'pl-v2-session-keepalive-off': (call) =>
    names(call, 'v2.createSession') && !('keepAlive' in bodyObject(call))
      ? withBody(call, (body) => ({ ...body, keepAlive: false }))
      : undefined,
  'pl-v2-session-persist-true': (call) =>
    names(call, 'v2.createSession') && bodyObject(call)['persistMemory'] === false
      ? withBody(call, (body) => ({ ...body, persistMemory: true }))
      : undefined,
  'pl-v2-session-country-any': (call) => withoutWrongCountry(call, 'v2.createSession'),
  'pl-v2-action-any': (call) =>
    names(call, 'v2.patch') && !isListed(bodyObject(call)['action'], ['stop', 'stop_task_and_session'])
      ? withBody(call, () => ({ action: 'stop' }))
      : undefined,
  'pl-v2-foreign-session': (call) => {
    const id = String(bodyObject(call)['sessionId']);
    const isForeign = names(call, 'v2.create') && foreignOwner(call, ({ sessions2 }) => sessions2.has(id));
    return isForeign ? withBody(call, (body) => without(body, 'sessionId')) : undefined;
  },
  'pl-v2-session-stop-leaves-task': (call) => {
    const session = call.project.sessions2.get(idIn(call));
    const task = [...call.project.tasks.values()].find((one) => one.sessionId === session?.id && isOpen(one));
    if (!names(call, 'v2.patchSession') || !session || !task || bodyObject(call)['action'] !== 'stop') return undefined;
    closeSession(call.world, session);
    return { status: 200, body: sessionDetail(call, session) };
  },
  'pl-v2-session-deleted-found': (call) =>
    names(call, 'v2.deleteSession') && call.project.sessions2.has(idIn(call)) ? { status: 204 } : undefined,
  'pl-v2-share-after-deletion': (call) =>
    names(call, 'v2.unshare') && call.project.sessions2.has(idIn(call)) ? { status: 204 } : undefined,
  'pl-br-timeout-240-refused': (call) =>
    endsWith(call, 'createBrowser') && bodyObject(call)['timeout'] === 240
      ? { status: 403, body: { detail: 'The time-out must not exceed 4 hours (240 minutes)' } }
      : undefined,
  'pl-br-profile-unknown-ignored': (call) => {
    const id = bodyObject(call)['profileId'];
    const isKnown = typeof id !== 'string' || call.world.projects.some(({ profiles }) => profiles.has(id));
    return endsWith(call, 'createBrowser') && !isKnown
      ? withBody(call, (body) => without(body, 'profileId'))
      : undefined;
  },
  'pl-br-profile-foreign-used': (call) => {
    const id = String(bodyObject(call)['profileId']);
    const owner = foreignOwner(call, ({ profiles }) => profiles.has(id));
    return endsWith(call, 'createBrowser') && owner ? withBody(call, (body) => without(body, 'profileId')) : undefined;
  },
  'pl-br-proxy-hostless': (call) => withoutProxy(call, (proxy) => !('host' in proxy)),
  'pl-br-proxy-port-any': (call) =>
    withoutProxy(call, ({ port }) => typeof port === 'number' && (port < 1 || port > 65_535)),
  'pl-profile-null-keeps': (call) =>
    endsWith(call, 'patchProfile') && bodyObject(call)['name'] === null
      ? withBody(call, (body) => without(body, 'name'))
      : undefined,
  'pl-profile-same-name-same': (call) => {
    const kept = remember(call.project)[`profile ${String(bodyObject(call)['name'])}`];
    return endsWith(call, 'createProfile') && kept !== undefined ? { status: 201, body: kept } : undefined;
  },
  'pl-profile-foreign-read': (call) => asOwner(call, 'getProfile'),
  'pl-profile-foreign-delete': (call) => asOwner(call, 'deleteProfile'),
  'pl-workspace-empty-clears': (call) =>
    endsWith(call, 'patchWorkspace') && Object.keys(bodyObject(call)).length === 0
      ? withBody(call, () => ({ name: null }))
      : undefined,
};

function withoutWrongCountry(call: Call, operation: string): Call | undefined {
  const country = bodyObject(call)['proxyCountryCode'];
  const isWrong = typeof country === 'string' && !countries.has(country);
  return names(call, operation) && isWrong ? withBody(call, (body) => without(body, 'proxyCountryCode')) : undefined;
}

function withoutProxy(call: Call, isWrong: (proxy: Json) => boolean): Call | undefined {
  const proxy = bodyObject(call)['customProxy'];
  const isTaken = endsWith(call, 'createBrowser') && isObject(proxy) && isWrong(proxy);
  return isTaken ? withBody(call, (body) => without(body, 'customProxy')) : undefined;
}

function asOwner(call: Call, operation: string): Call | undefined {
  const owner = foreignOwner(call, ({ profiles }) => profiles.has(idIn(call)));
  return endsWith(call, operation) && owner ? { ...call, project: owner } : undefined;
}

/** Faults that change the query of a list request. */
const queries: ChangesRequest = {
  'pl-v2-list-session-ignored': (call) => (names(call, 'v2.list') ? withoutQuery(call, 'sessionId') : undefined),
  'pl-v2-list-dates-swapped': (call) => {
    const other: Record<string, string> = { after: 'before', before: 'after' };
    const isDated = names(call, 'v2.list') && (call.query.has('after') || call.query.has('before'));
    return isDated
      ? withQuery(
          call,
          [...call.query].map(([name, value]) => [other[name] ?? name, value]),
        )
      : undefined;
  },
  'pl-br-list-agent-ignored': (call) =>
    endsWith(call, 'listBrowsers') ? withoutQuery(call, 'agentSessionId') : undefined,
  'pl-br-list-label-value-ignored': (call) => {
    const isValued =
      endsWith(call, 'listBrowsers') && call.query.getAll('metadata').some((label) => label.includes('='));
    const entries = [...call.query].map(
      ([name, value]) => [name, name === 'metadata' ? (value.split('=')[0] ?? '') : value] as const,
    );
    return isValued ? withQuery(call, entries) : undefined;
  },
  'pl-br-list-first-label-only': (call) => {
    if (!endsWith(call, 'listBrowsers') || call.query.getAll('metadata').length < 2) return undefined;
    const first = [...call.query].findIndex(([name]) => name === 'metadata');
    return withQuery(
      call,
      [...call.query].filter(([name], index) => name !== 'metadata' || index === first),
    );
  },
  'pl-profile-page-size-101': (call) =>
    names(call, 'v4.listProfiles') && Number(call.query.get('pageSize')) > 100
      ? withoutQuery(call, 'pageSize')
      : undefined,
  'pl-page-size-one-is-ten': (call) =>
    call.query.get('pageSize') === '1' ? withoutQuery(call, 'pageSize') : undefined,
  'pl-v3-messages-before-ignored': (call) => (names(call, 'v3.messages') ? withoutQuery(call, 'before') : undefined),
  'pl-v4-runs-filter-lost': (call) =>
    names(call, 'v4.list') && call.query.has('cursor') ? withoutQuery(call, 'sessionId') : undefined,
  'pl-v4-events-limit-ignored': (call) => (names(call, 'v4.events') ? withoutQuery(call, 'limit') : undefined),
};

/** Faults that act on records before a request is handled; each function returns whether its fault took effect. */
const beforeByFault: Partial<Record<FaultId, (call: Call) => boolean>> = {
  'pl-v2-stop-changes-finished': (call) => {
    const task = taskIn(call);
    const isFinished = names(call, 'v2.patch') && task?.status === 'finished';
    if (isFinished) task.status = 'stopped';
    return isFinished;
  },
  'pl-v2-share-new-token': (call) => {
    const session = call.project.sessions2.get(idIn(call));
    const isSecond = names(call, 'v2.share') && session !== undefined && session.share !== null;
    if (isSecond) session.share = null;
    return isSecond;
  },
  'pl-br-foreign-stop-404': (call) => {
    const owner = foreignOwner(call, ({ browsers }) => browsers.has(idIn(call)));
    return endsWith(call, 'patchBrowser') && owner !== undefined && end(call, owner.browsers.get(idIn(call)));
  },
  'pl-br-second-stop-refunds-again': (call) => {
    const browser = browserIn(call);
    const isSecond = endsWith(call, 'patchBrowser') && browser?.status === 'stopped';
    if (isSecond) browser.cost = 0;
    return isSecond;
  },
  'pl-br-second-stop-moves': (call) => {
    const browser = browserIn(call);
    const isSecond = endsWith(call, 'patchBrowser') && browser?.status === 'stopped';
    if (isSecond) browser.finishedAt = now(call.world);
    return isSecond;
  },
  'pl-br-same-profile-ends': (call) => {
    const id = bodyObject(call)['profileId'];
    const isUsed = endsWith(call, 'createBrowser') && typeof id === 'string';
    return (
      isUsed &&
      active(call)
        .filter(({ profileId }) => profileId === id)
        .some((one) => end(call, one))
    );
  },
  'pl-profile-patch-unsaved': (call) => {
    const profile = profileIn(call);
    if (endsWith(call, 'patchProfile') && profile) remember(profile)['name'] = profile.name;
    return false;
  },
  'pl-profile-deleted-listed': (call) => {
    const profile = profileIn(call);
    const isDeletion = endsWith(call, 'deleteProfile') && profile !== undefined;
    if (isDeletion) remember(call.project)['deleted'] = profile.id;
    return isDeletion;
  },
};

/** Faults that act on records after a request; each function returns whether its fault took effect. */
const after: Partial<Record<FaultId, (answered: Answered) => boolean>> = {
  'pl-v2-stop-closes-kept': ({ call }) => {
    const session = call.project.sessions2.get(taskIn(call)?.sessionId ?? '');
    const isKept = names(call, 'v2.patch') && session?.keepAlive === true && session.status === 'active';
    if (isKept) closeSession(call.world, session);
    return isKept;
  },
  'pl-v2-tasks-share-session': ({ call, answer }) => {
    if (!names(call, 'v2.create') || !isObject(answer.body) || 'sessionId' in bodyObject(call)) return false;
    const kept = remember(call.project);
    const task = call.project.tasks.get(String(answer.body['id']));
    if (!task || !('shared' in kept)) {
      kept['shared'] = answer.body['sessionId'];
      return false;
    }
    Object.assign(task, { sessionId: kept['shared'] });
    answer.body = { ...answer.body, sessionId: kept['shared'] };
    return true;
  },
  'pl-br-third-ends-first': ({ call, answer }) =>
    endsWith(call, 'createBrowser') && answer.status === 201 && active(call).length > 2 && end(call, active(call)[0]),
  'pl-br-profile-delete-ends': ({ call }) =>
    endsWith(call, 'deleteProfile') &&
    active(call)
      .filter(({ profileId }) => profileId === idIn(call))
      .some((one) => end(call, one)),
  'pl-br-look-at-downloads-ends': ({ call }) => endsWith(call, 'listDownloads') && end(call, browserIn(call)),
  'pl-br-refused-creation-ends': ({ call, answer }) =>
    endsWith(call, 'createBrowser') && answer.status === 422 && end(call, active(call).at(-1)),
  'pl-br-session-stop-ends': ({ call }) =>
    names(call, 'v3.stop') && active(call).filter((one) => end(call, one)).length > 0,
  'pl-br-refund-by-default-timeout': ({ call, answer }) => {
    const browser = browserIn(call);
    const isOdd =
      endsWith(call, 'patchBrowser') && answer.status === 200 && browser !== undefined && browser.minutes !== 60;
    if (isOdd && isObject(answer.body)) {
      browser.cost = Math.abs(browser.minutes - 59) * 333;
      answer.body = { ...answer.body, browserCost: call.world.dialect.decimal(browser.cost) };
    }
    return isOdd;
  },
  'pl-profile-patch-unsaved': ({ call }) => {
    const profile = profileIn(call);
    const isPatch = endsWith(call, 'patchProfile') && profile !== undefined;
    if (isPatch) profile.name = String(remember(profile)['name']);
    return isPatch;
  },
};

interface Shown {
  readonly view: Json;
  readonly call: Call;
  /** Whether the record in the response is an item of a list. */
  readonly isItem: boolean;
}

const isBrowser = ({ call }: Shown): boolean => /browser/i.test(call.operation);
const findBrowser = ({ view, call }: Shown): Browser | undefined => call.project.browsers.get(String(view['id']));
const isTask = ({ call }: Shown): boolean => /^v2\.(get|list|status|patch)$/.test(call.operation);
const isProfile = ({ call }: Shown): boolean => /profile/i.test(call.operation);

/** Faults in the record of a browser in a response. */
const browserViews: Partial<Record<FaultId, (shown: Shown) => void>> = {
  'pl-br-timeout-seconds': (shown) => showTimeout(shown, (browser) => browser.minutes * 1000),
  'pl-br-timeout-always-60': (shown) => showTimeout(shown, () => 3_600_000),
  'pl-br-stop-answers-active': ({ view, call }) => {
    if (endsWith(call, 'patchBrowser')) Object.assign(view, { status: 'active', finishedAt: null });
  },
  'pl-br-labels-in-creation-only': ({ view, call }) => {
    if (!endsWith(call, 'createBrowser')) view['metadata'] = {};
  },
  'pl-br-labels-lost-at-stop': ({ view }) => {
    if (view['status'] === 'stopped') view['metadata'] = {};
  },
  'pl-br-recording-in-list': (shown) => {
    if (shown.isItem && findBrowser(shown)?.recording === true) shown.view['recordingUrl'] = recordingFor(shown);
  },
  'pl-br-recording-unasked': (shown) => {
    const isDone = endsWith(shown.call, 'getBrowser') && shown.view['status'] === 'stopped';
    if (isDone) shown.view['recordingUrl'] = recordingFor(shown);
  },
  'pl-br-finished-null-in-list': ({ view, isItem }) => {
    if (isItem) view['finishedAt'] = null;
  },
};

function showTimeout(shown: Shown, duration: (browser: Browser) => number): void {
  const browser = findBrowser(shown);
  if (browser) shown.view['timeoutAt'] = shown.call.world.dialect.time(browser.startedAt + duration(browser));
}

function recordingFor({ view, call }: Shown): string {
  return `${call.world.url}/media/${String(view['id'])}/recording.webm`;
}

/** Faults in the record of a V2 task in a response. */
const taskViews: Partial<Record<FaultId, (shown: Shown) => void>> = {
  'pl-v2-task-trimmed': ({ view }) => {
    if (typeof view['task'] === 'string') view['task'] = view['task'].trim().replaceAll(/\s+/g, ' ');
  },
  'pl-v2-task-255': ({ view }) => {
    if (typeof view['task'] === 'string') view['task'] = view['task'].slice(0, 255);
  },
  'pl-v2-status-of-stopped': ({ view, call }) => {
    if (names(call, 'v2.status') && view['status'] === 'stopped') view['status'] = 'finished';
  },
  'pl-v2-status-output-null': ({ view, call }) => {
    if (names(call, 'v2.status')) view['output'] = null;
  },
  'pl-v2-status-zone': ({ view, call }) => {
    const at = call.project.tasks.get(String(view['id']))?.finishedAt ?? null;
    if (names(call, 'v2.status') && at !== null) view['finishedAt'] = call.world.dialect.timeV2(at + 7_200_000);
  },
  'pl-v2-started-null': ({ view }) => {
    if ('startedAt' in view) view['startedAt'] = null;
  },
  'pl-v2-finished-moves': ({ view, call }) => {
    if (view['finishedAt'] !== null) view['finishedAt'] = call.world.dialect.timeV2(now(call.world));
  },
  'pl-v2-steps-same-number': ({ view }) => {
    if (Array.isArray(view['steps'])) view['steps'] = view['steps'].map((step: Json) => ({ ...step, number: 1 }));
  },
  'pl-v2-output-twice': ({ view }) => {
    const { output } = view;
    if (typeof output === 'string' && output.startsWith('{')) view['output'] = JSON.stringify(output);
  },
  'pl-v2-list-metadata-lost': ({ view, isItem }) => {
    if (isItem) view['metadata'] = {};
  },
  'pl-v2-list-stale': ({ view, isItem }) => {
    if (isItem && view['status'] === 'finished') view['status'] = 'created';
  },
  'pl-v2-list-cost-zero': ({ view, isItem }) => {
    if (isItem) view['cost'] = '0';
  },
};

/** Faults in the record of a profile in a response. */
const profileViews: Partial<Record<FaultId, (shown: Shown) => void>> = {
  'pl-profile-updated-stays': ({ view }) => void (view['updatedAt'] = view['createdAt']),
  'pl-profile-created-moves': ({ view }) => void (view['createdAt'] = view['updatedAt']),
};

interface Rows {
  readonly rows: Json[];
  readonly total: number;
  readonly call: Call;
}

/** Faults in which lists with numbered pages have wrong rows or totals. */
const lists: Partial<Record<FaultId, (list: Rows) => Omit<Rows, 'call'> | undefined>> = {
  'pl-br-list-active-has-stopped': ({ rows, total, call }) => {
    const isActive = endsWith(call, 'listBrowsers') && call.query.get('filterBy') === 'active';
    const stopped = [...call.project.browsers.values()].findLast(({ status }) => status === 'stopped');
    return isActive && stopped ? { rows: [...rows, toItem(call, stopped)], total: total + 1 } : undefined;
  },
  'pl-br-list-stopped-empty': ({ call }) =>
    endsWith(call, 'listBrowsers') && call.query.get('filterBy') === 'stopped' ? { rows: [], total: 0 } : undefined,
  'pl-br-list-own-generation': ({ rows, call }) => {
    if (!names(call, 'v4.listBrowsers')) return undefined;
    const others = remember(call.project)['not of v4'];
    const kept = rows.filter(({ id }) => !Array.isArray(others) || !others.includes(id));
    return { rows: kept, total: kept.length };
  },
  'pl-total-ignores-filter': ({ rows, call }) =>
    endsWith(call, 'listBrowsers') && call.query.has('filterBy')
      ? { rows, total: call.project.browsers.size }
      : undefined,
  'pl-profile-query-name-only': ({ rows, call }) => {
    const wanted = call.query.get('query');
    if (!endsWith(call, 'listProfiles') || wanted === null) return undefined;
    const kept = rows.filter(({ name }) => String(name).toLowerCase().includes(wanted.toLowerCase()));
    return { rows: kept, total: kept.length };
  },
  'pl-profile-nameless-hidden': ({ rows, total, call }) => {
    const kept = rows.filter(({ name }) => name !== null);
    return endsWith(call, 'listProfiles') ? { rows: kept, total: total - rows.length + kept.length } : undefined;
  },
  'pl-profile-deleted-listed': ({ rows, total, call }) => {
    const id = remember(call.project)['deleted'];
    if (!endsWith(call, 'listProfiles') || id === undefined) return undefined;
    const at = call.world.dialect.time(now(call.world));
    const row = { id, userId: null, name: null, lastUsedAt: null, createdAt: at, updatedAt: at, cookieDomains: null };
    return { rows: [row, ...rows], total: total + 1 };
  },
  'pl-v2-list-stopped-has-finished': ({ rows, total, call }) => {
    const finished = [...call.project.tasks.values()].find(({ status }) => status === 'finished');
    const isStopped = names(call, 'v2.list') && call.query.get('filterBy') === 'stopped' && finished;
    return isStopped ? { rows: [...rows, taskView(call, finished, 'item')], total: total + 1 } : undefined;
  },
};

function toItem({ world }: Call, browser: Browser): Json {
  return {
    id: browser.id,
    status: browser.status,
    liveUrl: null,
    cdpUrl: null,
    timeoutAt: world.dialect.time(browser.startedAt + browser.minutes * 60_000),
    startedAt: world.dialect.time(browser.startedAt),
    finishedAt: world.dialect.time(browser.finishedAt ?? browser.startedAt),
    metadata: browser.metadata,
  };
}

/** Faults in responses that none of the other tables covers. */
const answers: Partial<Record<FaultId, (answered: Answered) => void>> = {
  'pl-v2-session-all-tasks': ({ call, answer }) => {
    if (!names(call, 'v2.getSession') || !isObject(answer.body)) return;
    const tasks = [...call.project.tasks.values()].map((task) => taskView(call, task, 'item'));
    answer.body = { ...answer.body, tasks };
  },
  'pl-v3-total-counts-deleted': ({ call, answer }) => {
    const kept = remember(call.project);
    if (names(call, 'v3.delete') && answer.status === 204) kept['gone'] = Number(kept['gone'] ?? 0) + 1;
    if (names(call, 'v3.list') && isObject(answer.body) && answer.status === 200)
      answer.body = { ...answer.body, total: Number(answer.body['total']) + Number(kept['gone'] ?? 0) };
  },
  'pl-v4-runs-cursor-at-end': ({ call, answer }) => {
    if (names(call, 'v4.list') && isObject(answer.body) && answer.body['nextCursor'] === null)
      answer.body = { ...answer.body, nextCursor: 'c0', hasMore: true };
  },
  'pl-v4-sessions-row-per-run': ({ call, answer }) => {
    if (!names(call, 'v4.listSessions') || !isObject(answer.body) || !Array.isArray(answer.body['sessions'])) return;
    const rows = answer.body['sessions'].filter((row) => isObject(row));
    const sessions = rows.flatMap((row) => {
      const ids = call.project.conversations.get(String(row['sessionId']))?.runIds ?? [];
      return ids.map((latestRunId) => ({ ...row, latestRunId }));
    });
    answer.body = { ...answer.body, sessions };
  },
  'pl-account-total-off': ({ call, answer }) => {
    if (endsWith(call, 'account') && isObject(answer.body))
      answer.body = { ...answer.body, totalCreditsBalanceUsd: 60 };
  },
  'pl-account-project-moves': ({ call, answer }) => {
    if (endsWith(call, 'account') && isObject(answer.body))
      answer.body = { ...answer.body, projectId: call.world.dialect.id() };
  },
  'pl-v2-msg-old-claude-empty': reword((msg, call) =>
    names(call, 'v2.create') ? msg.replace(/values: disabled$/, 'values: ') : msg,
  ),
  'pl-v2-task-missing-loc-text': ({ call, answer }) => {
    const text = JSON.stringify(answer.body);
    if (names(call, 'v2.create') && answer.status === 422)
      answer.body = JSON.parse(text.replaceAll('["body","task"]', '"body.task"')) as unknown;
  },
};

const beginWrites = createBegin(refusals, { ...writes, ...queries });

/**
 * Applies active faults to a request. Returns the request, possibly changed, or a response of a fault. Throws a
 * `Refusal` if a fault refuses the request.
 */
export function beginResources(call: Call): Call | Answer {
  for (const [id, act] of call.world.faults.entries(beforeByFault)) if (act(call)) call.world.faults.reached.add(id);
  return beginWrites(call);
}

/** Applies active faults to a response, and performs their side effects. */
export function concludeResources(call: Call, given: Answer): Answer {
  const { faults } = call.world;
  const answered: Answered = { call, answer: { status: given.status, body: given.body } };
  note(call, given);
  for (const [id, act] of faults.entries(after)) if (act(answered)) faults.reached.add(id);
  const before = JSON.stringify(answered.answer);
  for (const [, change] of faults.entries(answers)) change(answered);
  if (answered.answer.status < 300) showViews(answered);
  if (JSON.stringify(answered.answer) !== before) for (const id of faults.active) faults.reached.add(id);
  return concludeForm(call, { ...given, ...answered.answer });
}

function concludeForm(call: Call, answer: Answer): Answer {
  const { faults } = call.world;
  if (answer.status !== 422) return answer;
  const isPath = JSON.stringify(answer.body).includes('"path"') && faults.has('pl-refusal-is-html');
  if (!isPath) return answer;
  return { status: 422, body: Buffer.from('<h1>Unprocessable</h1>'), headers: { 'content-type': 'text/html' } };
}

/** Stores data of a request that active faults use in later requests. */
function note(call: Call, { status, body }: Answer): void {
  if (status !== 201 || !isObject(body)) return;
  const kept = remember(call.project);
  if (endsWith(call, 'createProfile')) kept[`profile ${String(body['name'])}`] = body;
  const others = Array.isArray(kept['not of v4']) ? (kept['not of v4'] as unknown[]) : [];
  if (endsWith(call, 'createBrowser') && !call.operation.startsWith('v4')) kept['not of v4'] = [...others, body['id']];
}

function showViews(answered: Answered): void {
  const { call, answer } = answered;
  if (!isObject(answer.body)) return;
  const { items } = answer.body;
  if (!Array.isArray(items)) {
    answer.body = shownView({ view: { ...answer.body }, call, isItem: false });
    return;
  }
  let list: Omit<Rows, 'call'> = {
    rows: items.filter((row) => isObject(row)),
    total: Number(answer.body['totalItems']),
  };
  for (const [, change] of call.world.faults.entries(lists)) list = change({ ...list, call }) ?? list;
  const rows = list.rows.map((row) => shownView({ view: { ...row }, call, isItem: true }));
  answer.body = { ...answer.body, items: rows, totalItems: list.total };
}

function shownView(shown: Shown): Json {
  const { faults } = shown.call.world;
  const tables = [
    ...(isBrowser(shown) ? [browserViews] : []),
    ...(isTask(shown) ? [taskViews] : []),
    ...(isProfile(shown) ? [profileViews] : []),
  ];
  for (const table of tables) for (const [, change] of faults.entries(table)) change(shown);
  return shown.view;
}
