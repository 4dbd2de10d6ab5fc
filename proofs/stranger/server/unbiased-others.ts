/** Faults of V2, V4 runs, browsers, profiles, credentials and refusals, derived from the contract alone. */
import type { IncomingMessage } from 'node:http';
import type { FaultId } from '../faults/index.ts';
import { closers, clients } from './browsers.ts';
import { type Answer, bodyObject, type Call } from './call.ts';
import { uuidPattern } from './checks.ts';
import { changeRows } from './jobs-sessions.ts';
import {
  type Answered,
  changeRefusal,
  type ChangesRequest,
  count,
  createBegin,
  type Refuses,
  remember,
} from './moments.ts';
import { isObject } from './outputs.ts';
import type { Browser, Json, World } from './world.ts';

const failed: Answer = { status: 500, body: { detail: 'Internal Server Error' } };
const missing: Answer = { status: 404, body: { detail: 'Not Found' } };

const names = (call: Call, operation: string): boolean => call.operation === operation;
const endsWith = (call: Call, name: string): boolean => call.operation.endsWith(`.${name}`);
const idIn = (call: Call): string => (Object.values(call.params)[0] ?? '').toLowerCase();
const browserIn = (call: Call): Browser | undefined => call.project.browsers.get(idIn(call));
const isActive = ({ status }: Browser): boolean => status === 'active';

/** Returns true if a body contains the member `first` and, after it, the member `second`. */
function stands(body: Json, first: string, second: string): boolean {
  const all = Object.keys(body);
  return all.includes(first) && all.indexOf(first) < all.indexOf(second);
}

/**
 * Creates a function that changes the body of requests for one operation. The function returns undefined for other
 * requests, and if `change` returns undefined.
 */
const changes =
  (operation: string, change: (body: Json, call: Call) => Json | undefined) =>
  (call: Call): Call | undefined => {
    const body = names(call, operation) && isObject(call.body) ? change(bodyObject(call), call) : undefined;
    return body && { ...call, body };
  };

const level = (llm: string | undefined, value: string): ((call: Call) => Call | undefined) =>
  changes('v2.create', (body) =>
    body['thinkingLevel'] === value && (llm === undefined || body['llm'] === llm)
      ? { ...body, thinkingLevel: null }
      : undefined,
  );

const malformed = (operation: string, answer: Answer) => (call: Call) =>
  endsWith(call, operation) && !uuidPattern.test(idIn(call)) ? answer : undefined;

const withoutParams = (test: (body: Json, call: Call) => boolean): ((call: Call) => Call | undefined) =>
  changes('v4.create', (body, call) => {
    const { modelParams, useOwnKey: _flag, ...rest } = body;
    return isObject(modelParams) && test(body, call) ? rest : undefined;
  });

/** Faults that refuse a valid request. */
const refusals: Refuses = {
  'ub-kimi-unknown': (body, call) => names(call, 'v4.create') && body['model'] === 'kimi-k3',
  'ub-fable-without-params': (body, call) =>
    names(call, 'v4.create') && body['model'] === 'claude-fable-5' && !('modelParams' in body),
  'ub-v2-opus45-disabled-refused': (body, call) =>
    names(call, 'v2.create') && body['llm'] === 'claude-opus-4-5-20251101' && body['thinkingLevel'] === 'disabled',
  'ub-v2-svc20-high': (body, call) =>
    names(call, 'v2.create') && body['llm'] === 'svc-2.0' && body['thinkingLevel'] === 'high',
  'ub-v2-without-llm': (body, call) => names(call, 'v2.create') && !('llm' in body),
};

/** Faults that change a request or answer it. */
const changesByFault: ChangesRequest = {
  'ub-br-us-unproxied': changes('v4.createBrowser', (body) =>
    body['proxyCountryCode'] === 'us' ? { ...body, proxyCountryCode: null } : undefined,
  ),
  'ub-br-pause-200': (call) => {
    const browser = browserIn(call);
    return endsWith(call, 'patchBrowser') && browser && bodyObject(call)['action'] === 'pause'
      ? { status: 200, body: { id: browser.id, status: browser.status } }
      : undefined;
  },
  'ub-br-used-stop-ignored': (call) => {
    const browser = browserIn(call);
    const isStop = endsWith(call, 'patchBrowser') && bodyObject(call)['action'] === 'stop';
    return isStop && browser && clients.has(browser.id)
      ? { status: 200, body: { id: browser.id, status: 'stopped' } }
      : undefined;
  },
  'ub-br-second-stop-500': (call) =>
    endsWith(call, 'patchBrowser') && browserIn(call)?.status === 'stopped' ? failed : undefined,
  'ub-br-patch-id-500': malformed('patchBrowser', failed),
  'ub-profile-id-500': malformed('getProfile', failed),
  'ub-v2-task-id-500': (call) => (names(call, 'v2.get') ? malformed('get', failed)(call) : undefined),
  'ub-v2-session-id-400': (call) =>
    names(call, 'v2.getSession')
      ? malformed('getSession', { status: 400, body: { detail: 'Bad Request' } })(call)
      : undefined,
  'ub-v4-empty-500': (call) => (names(call, 'v4.create') && call.body === undefined ? failed : undefined),
  'ub-own-key-unchecked': withoutParams((body) => body['useOwnKey'] === true),
  'ub-params-order': withoutParams((body) => stands(body, 'modelParams', 'model')),
  'ub-params-own-key-unchecked': withoutParams(({ model }, { project }) =>
    String(model).startsWith('gpt') ? project.ownKeys.has('openai') : String(model).startsWith('gemini'),
  ),
  'ub-run-dedupe': (call) => {
    const run = [...call.project.runs.values()].find((one) => one.task === bodyObject(call)['task']);
    return names(call, 'v4.create') && run
      ? {
          status: 200,
          body: { id: run.id, status: run.status, sessionId: run.sessionId, workspaceId: run.workspaceId },
        }
      : undefined;
  },
  'ub-v2-level-max': level(undefined, 'max'),
  'ub-v2-sonnet45-medium': level('claude-sonnet-4-5-20250929', 'medium'),
  'ub-v2-pro31-medium': level('gemini-3.1-pro-preview', 'medium'),
  'ub-v2-order': changes('v2.create', (body) =>
    stands(body, 'thinkingLevel', 'llm') ? { ...body, thinkingLevel: null } : undefined,
  ),
  'ub-v2-session-gone': (call) => {
    const isOver = [...call.project.tasks.values()].some(
      (task) => task.sessionId === idIn(call) && task.status === 'finished',
    );
    return names(call, 'v2.getSession') && isOver ? missing : undefined;
  },
};

/**
 * Applies active faults to a request. Returns the request, possibly changed, or a response of a fault. Throws a
 * `Refusal` if a fault refuses the request.
 */
export const beginUnbiasedOthers = createBegin(refusals, changesByFault);

const change =
  (alter: (answered: Answered) => void) =>
  (call: Call, answer: Answer): Answer | undefined => {
    const answered: Answered = { call, answer: { status: answer.status, body: answer.body } };
    alter(answered);
    const isSame = JSON.stringify(answered.answer.body) === JSON.stringify(answer.body);
    return isSame && answered.answer.status === answer.status ? undefined : { ...answer, ...answered.answer };
  };

/** Creates a function that changes browsers in single responses and in lists. */
const showsBrowser = (alter: (view: Json, browser: Browser, call: Call) => Json): Concludes =>
  change(({ call, answer }) => {
    if (!/Browsers?$/.test(call.operation) || answer.status >= 300 || !isObject(answer.body)) return;
    const show = (view: Json): Json => {
      const browser = call.project.browsers.get(String(view['id']));
      return browser ? { ...view, ...alter(view, browser, call) } : view;
    };
    const { items } = answer.body;
    answer.body = Array.isArray(items)
      ? { ...answer.body, items: items.map((view: Json) => show(view)) }
      : show(answer.body);
  });

/** Creates a function that changes the messages of a 422 response that match `wanted`. */
const says = (wanted: RegExp, alter: (msg: string) => string): Concludes =>
  change(changeRefusal(wanted, (element) => ({ ...element, msg: alter(String(element['msg'])) })));

const saysLevel = (alter: (msg: string) => string, isConcerned = (_msg: string): boolean => true): Concludes => {
  const reworded = says(/thinking_level/, (msg) => (isConcerned(msg) ? alter(msg) : msg));
  return (call, answer) => (names(call, 'v2.create') ? reworded(call, answer) : undefined);
};

const element = (isHit: (found: Json, call: Call) => boolean, alter: (found: Json) => Json): Concludes =>
  change(changeRefusal(/^/, (found, call) => (isHit(found, call) ? { ...found, ...alter(found) } : found)));

const events =
  (alter: (list: Json[], call: Call) => Json[]): Concludes =>
  (call, answer) =>
    changeRows(call, answer, { operation: 'v4.events', member: 'events', change: (list) => alter(list, call) });

type Concludes = (call: Call, answer: Answer) => Answer | undefined;

const isAt = ({ loc }: Json, ...place: string[]): boolean => JSON.stringify(loc) === JSON.stringify(place);

/** Faults that change a response or have a side effect after it. */
const answers: Partial<Record<FaultId, Concludes>> = {
  'ub-cdp-dead-port': showsBrowser((_, browser) =>
    isActive(browser) ? { cdpUrl: `ws://127.0.0.1:9/devtools/browser/${browser.id}` } : {},
  ),
  'ub-br-country-echo': showsBrowser((_, { country }) => ({ proxyCountryCode: country === 'de' ? 'fr' : country })),
  'ub-br-profile-echo': showsBrowser((_, { profileId }, call) =>
    profileId === null ? {} : { profileId: call.world.dialect.id() },
  ),
  'ub-br-live-no-frames': showsBrowser((view) =>
    typeof view['liveUrl'] === 'string' ? { liveUrl: `${view['liveUrl']}?frames=no` } : {},
  ),
  'ub-br-live-shared': showsBrowser((view, _, { project, world }) => {
    const first = [...project.browsers.values()].find(isActive);
    return first && view['liveUrl'] ? { liveUrl: `${world.url}/live/${first.id}` } : {};
  }),
  'ub-br-list-active': (call, answer) =>
    endsWith(call, 'listBrowsers') ? showsBrowser(() => ({ status: 'active' }))(call, answer) : undefined,
  'ub-br-stop-cuts-other': (call, answer) => {
    const isStop = endsWith(call, 'patchBrowser') && answer.status === 200;
    const cut = [...call.project.browsers.values()].filter((one) => isStop && isActive(one) && closers.has(one.id));
    for (const one of cut) closers.get(one.id)?.();
    return cut.length > 0 ? answer : undefined;
  },
  'ub-profile-gone-after-stop': (call, answer) => {
    const profileId = endsWith(call, 'patchBrowser') && answer.status === 200 ? browserIn(call)?.profileId : null;
    return profileId && call.project.profiles.delete(profileId) ? answer : undefined;
  },
  'ub-profile-patch-others': (call, answer) => {
    const { name } = bodyObject(call);
    const other = [...call.project.profiles.values()].find((one) => one.id !== idIn(call));
    if (!endsWith(call, 'patchProfile') || answer.status !== 200 || !other || typeof name !== 'string')
      return undefined;
    other.name = name;
    return answer;
  },
  'ub-422-html': (_, answer) =>
    answer.status === 422 ? { ...answer, headers: { 'content-type': 'text/html' } } : undefined,
  'ub-query-error-object': change(({ answer }) => {
    if (answer.status === 422 && JSON.stringify(answer.body).includes('["query",'))
      answer.body = { error: { message: 'Invalid query' } };
  }),
  'ub-params-loc-text': change(
    changeRefusal(/modelParams/, (found) => ({
      ...found,
      loc: Array.isArray(found['loc']) ? found['loc'].join('.') : '',
    })),
  ),
  'ub-v4-loc-missing-model': element(
    (found, call) => names(call, 'v4.create') && isAt(found, 'body', 'task') && found['type'] === 'missing',
    () => ({ loc: ['body', 'model'] }),
  ),
  'ub-br-country-type-null': element(
    (found) => isAt(found, 'body', 'proxyCountryCode'),
    () => ({ type: null }),
  ),
  'ub-v2-pair-detail-object': change(({ call, answer }) => {
    const isPair = names(call, 'v2.create') && JSON.stringify(answer.body).includes('thinking_level');
    if (isPair && isObject(answer.body) && Array.isArray(answer.body['detail']))
      answer.body = { detail: answer.body['detail'][0] as unknown };
  }),
  'ub-v2-msg-empty': saysLevel(() => ''),
  'ub-v2-claude-no-provider': saysLevel(
    (msg) => msg.replace(/ \(provider "[^"]+"\)/, ''),
    (msg) => msg.includes('"claude'),
  ),
  'ub-v2-list-has-refused': saysLevel((msg) => {
    const refused = /thinking_level="(\w+)"/.exec(msg)?.[1] ?? '';
    return msg.endsWith('values: ') ? msg + refused : `${msg}, ${refused}`;
  }),
  'ub-v2-gemini25-list': saysLevel(
    (msg) => msg.replace('values: ', 'values: disabled, '),
    (msg) => msg.includes('"gemini-2.5-pro"'),
  ),
  'ub-msg-params-snake': says(/modelParams/, (msg) => msg.replace('modelParams', 'model_params')),
  'ub-msg-params-lower': says(/modelParams/, (msg) => msg.replace(/='[^']*'/, (value) => value.toLowerCase())),
  'ub-msg-params-bar': says(/modelParams/, (msg) => msg.replace(/values: .*$/, (list) => list.replaceAll(', ', ' | '))),
  'ub-result-newest': (call, answer) => {
    const newest = [...call.project.runs.values()].findLast(({ result }) => result !== null);
    const isDone = names(call, 'v4.getRun') && isObject(answer.body) && typeof answer.body['result'] === 'string';
    return isDone && newest && newest.id !== idIn(call)
      ? { ...answer, body: { ...answer.body, result: newest.result } }
      : undefined;
  },
  'ub-run-unknown-200': (call, answer) =>
    names(call, 'v4.getRun') && answer.status === 404
      ? { status: 200, body: { id: idIn(call), status: 'queued', result: null } }
      : undefined,
  'ub-v4-after-refusal': (call, answer) => {
    const kept = remember(call.project);
    if (!names(call, 'v4.create')) return undefined;
    const wasRefused = kept['refused run'] === true;
    kept['refused run'] = answer.status === 422;
    if (!wasRefused || answer.status === 422 || !isObject(answer.body)) return undefined;
    const run = call.project.runs.get(String(answer.body['id']));
    run?.work?.stop();
    if (run) call.project.runs.delete(run.id);
    return { status: 422, body: { detail: [{ loc: ['body'], msg: 'Not available', type: 'value_error' }] } };
  },
  'ub-run-list-status': (call, answer) =>
    changeRows(call, answer, {
      operation: 'v4.list',
      member: 'runs',
      change: (list) => list.map((row) => (row['status'] === 'completed' ? { ...row, status: 'running' } : row)),
    }),
  'ub-events-alternate': events((list, call) =>
    count(call.project, `events of ${idIn(call)}`) % 2 === 0 ? list.toReversed() : list,
  ),
  'ub-events-second-lost': events((list, call) => {
    const all = call.project.runs.get(idIn(call))?.events ?? [];
    return all.length > 3 ? list.filter(({ id }) => id !== all[1]?.['id']) : list;
  }),
  'ub-events-one-foreign': events((list, call) => {
    const other = [...call.project.runs.values()].find(({ id }) => id !== idIn(call))?.events[0];
    return other && list.length > 0 ? [other, ...list] : list;
  }),
  'ub-events-lost-second-run': events((list, call) =>
    [...call.project.runs.keys()].at(-1) === idIn(call) ? list : [],
  ),
  'ub-v2-create-500': (call, answer) => (names(call, 'v2.create') && answer.status === 202 ? failed : undefined),
  'ub-v2-goal-other': change(({ call, answer }) => {
    const all = [...call.project.tasks.values()];
    const before = all[all.findIndex(({ id }) => id === idIn(call)) - 1];
    if (names(call, 'v2.get') && before && isObject(answer.body)) answer.body = { ...answer.body, task: before.task };
  }),
  'ub-v2-id-burst': (call, answer) => {
    if (!names(call, 'v2.create') || answer.status !== 202) return undefined;
    const kept = remember(call.project);
    const isBurst = Date.now() - Number(kept['task at'] ?? 0) < 50;
    const body = isBurst ? kept['task answer'] : answer.body;
    Object.assign(kept, { 'task at': Date.now(), 'task answer': body });
    return isBurst ? { ...answer, body } : undefined;
  },
};

/** Applies active faults to a response, and performs their side effects. */
export function concludeUnbiasedOthers(call: Call, given: Answer): Answer {
  const { faults } = call.world;
  let answer = given;
  for (const [id, conclude] of faults.entries(answers)) {
    const changed = conclude(call, answer);
    if (changed !== undefined && faults.has(id)) answer = changed;
  }
  return answer;
}

/** Connections on which a request had a valid key. */
const trusted = new WeakSet<object>();

interface Raw {
  readonly world: World;
  readonly incoming: IncomingMessage;
  readonly bytes: Buffer;
  readonly isRight: boolean;
}

const path = ({ incoming }: Raw): string => incoming.url ?? '';
const malformedAnswer: Answer = {
  status: 422,
  body: { detail: [{ loc: ['body'], msg: 'Malformed', type: 'json_invalid' }] },
};

/** Faults that answer a request before it is parsed. */
const atEdge: Partial<Record<FaultId, (raw: Raw) => Answer | undefined>> = {
  'ub-v2-elsewhere': (raw) => (path(raw).startsWith('/api/v2/') ? missing : undefined),
  'ub-v4-browsers-elsewhere': (raw) => (path(raw).startsWith('/api/v4/browsers') ? missing : undefined),
  'ub-charset-refused': ({ incoming }) =>
    /charset/i.test(incoming.headers['content-type'] ?? '')
      ? { status: 415, body: { detail: 'Unsupported Media Type' } }
      : undefined,
  'ub-br-stop-whitespace': (raw) =>
    raw.incoming.method === 'PATCH' && path(raw).includes('/browsers/') && /\s/.test(raw.bytes.toString())
      ? malformedAnswer
      : undefined,
  'ub-auth-lower-only': ({ incoming, world }) =>
    incoming.rawHeaders.some((name) => /^x-service-api-key$/i.test(name) && name !== name.toLowerCase())
      ? { status: world.dialect.unauthorized, body: { detail: 'Missing API key' } }
      : undefined,
  'ub-auth-empty-list': (raw) =>
    raw.incoming.method === 'GET' && /^\/api\/v\d\/\w+$/.test(path(raw).split('?')[0] ?? '') && !raw.isRight
      ? { status: 200, body: { items: [], totalItems: 0, pageNumber: 1, pageSize: 10 } }
      : undefined,
};

/**
 * Returns the response of a fault that inspects an unparsed request; undefined without such a fault. With
 * `ub-auth-connection`, replaces a wrong key by a valid key on a connection that sent a valid key before.
 */
export function answerAtEdge(world: World, incoming: IncomingMessage, bytes: Buffer): Answer | undefined {
  const given = incoming.headers['x-service-api-key'];
  const isRight = world.projects.some(({ key }) => key === given);
  const raw: Raw = { world, incoming, bytes, isRight };
  if (isRight) trusted.add(incoming.socket);
  else if (given !== undefined && trusted.has(incoming.socket) && world.faults.has('ub-auth-connection'))
    incoming.headers['x-service-api-key'] = world.projects[0]?.key;
  for (const [id, answer] of world.faults.entries(atEdge)) {
    const found = answer(raw);
    if (found !== undefined && world.faults.has(id)) return found;
  }
  return undefined;
}
