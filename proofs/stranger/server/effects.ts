/** Faults of V2, V4 and browsers: in side effects, in later requests and in refusals. */
import type { FaultId } from '../faults/index.ts';
import { type Answer, bodyObject, type Call } from './call.ts';
import {
  type Answered,
  type ChangesRequest,
  type Refuses,
  changeRefusal,
  count,
  createBegin,
  remember,
  reword,
} from './moments.ts';
import { isObject } from './outputs.ts';
import { levels, v2Levels } from './tables.ts';
import { closeSession, createTask, isOpen as isTaskOpen, openSession, stopTask } from './v2-life.ts';
import { createRun, openConversation } from './v4-life.ts';
import { type Browser, type Json, later, now } from './world.ts';

const toKey = (call: Call): string => JSON.stringify(bodyObject(call));
const names = (call: Call, operation: string): boolean => call.operation === operation;
const namesSession = (body: Json): boolean => typeof body['sessionId'] === 'string';

function paths(params: unknown): string[] {
  if (!isObject(params)) return [];
  return Object.entries(params).flatMap(([name, inner]) =>
    isObject(inner) ? Object.keys(inner).map((last) => `${name}.${last}`) : [name],
  );
}

function valueAt(params: unknown, first: string, last: string): unknown {
  const inner = isObject(params) ? params[first] : undefined;
  return isObject(inner) ? inner[last] : undefined;
}

/** Faults that refuse a valid request. */
const refusals: Refuses = {
  'ef-v2-thinking-chooses': (body, call) =>
    names(call, 'v2.create') &&
    body['thinking'] === true &&
    typeof body['thinkingLevel'] !== 'string' &&
    v2Levels.get(String(body['llm']))?.length === 0,
  'ef-v2-null-is-disabled': (body, call) =>
    names(call, 'v2.create') &&
    body['thinkingLevel'] === null &&
    !(v2Levels.get(String(body['llm'])) ?? levels).includes('disabled'),
  'ef-v4-fable-refused': (body, call) => names(call, 'v4.create') && body['model'] === 'claude-fable-5',
  'ef-mp-three-refused': (body, call) => names(call, 'v4.create') && paths(body['modelParams']).length > 2,
  'ef-mp-disabled-with-effort': ({ modelParams }, call) =>
    names(call, 'v4.create') &&
    valueAt(modelParams, 'thinking', 'type') === 'disabled' &&
    paths(modelParams).includes('output_config.effort'),
  'ef-mp-empty-in-follow-up': (body, call) =>
    names(call, 'v4.create') &&
    namesSession(body) &&
    isObject(body['modelParams']) &&
    Object.keys(body['modelParams']).length === 0,
  'ef-br-country-kp-refused': (body, call) => names(call, 'v4.createBrowser') && body['proxyCountryCode'] === 'kp',
};

/** Faults that change a request before its handler gets the request, or respond in place of the handler. */
const requests: ChangesRequest = {
  'ef-v2-ninth-unchecked': (call) =>
    names(call, 'v2.create') && count(call.project, 'v2 creations') % 9 === 0 ? withoutLevel(call) : undefined,
  'ef-v2-second-try-accepted': (call) =>
    names(call, 'v2.create') && remember(call.project)['refused'] === toKey(call) ? withoutLevel(call) : undefined,
  'ef-v2-after-accept': (call) =>
    names(call, 'v2.create') && remember(call.project)['accepted level'] === true ? withoutLevel(call) : undefined,
  'ef-v2-level-stays': (call) => {
    const body = bodyObject(call);
    const kept = remember(call.project)[`level ${String(body['sessionId'])}`];
    const isBare = names(call, 'v2.create') && namesSession(body) && body['thinkingLevel'] === undefined;
    return isBare && kept !== undefined ? { ...call, body: { ...body, thinkingLevel: kept } } : undefined;
  },
  'ef-v2-model-of-first': (call) => {
    const body = bodyObject(call);
    const kept = remember(call.project)[`llm ${String(body['sessionId'])}`];
    const isOther = names(call, 'v2.create') && kept !== undefined && kept !== body['llm'];
    return isOther ? { ...call, body: { ...body, llm: kept } } : undefined;
  },
  'ef-mp-refused-then-passes': (call) =>
    names(call, 'v4.create') && remember(call.project)['refused'] === toKey(call)
      ? { ...call, body: { ...bodyObject(call), modelParams: null } }
      : undefined,
  'ef-mp-inherits': (call) => {
    const body = bodyObject(call);
    const first = call.project.conversations.get(String(body['sessionId']))?.runIds[0];
    const kept = call.project.runs.get(first ?? '')?.modelParams;
    const isBare = names(call, 'v4.create') && body['modelParams'] === undefined;
    return isBare && kept ? { ...call, body: { ...body, modelParams: kept } } : undefined;
  },
  'ef-v4-refused-follow-up-blocks': (call) =>
    names(call, 'v4.create') && remember(call.project)[`blocked ${String(bodyObject(call)['sessionId'])}`] === true
      ? { status: 409, body: { detail: 'Session is blocked' } }
      : undefined,
  'ef-br-stop-newest': (call) => {
    const newest = [...call.project.browsers.values()].findLast((browser) => browser.status === 'active');
    const isOther = names(call, 'v4.patchBrowser') && newest && newest.id !== call.params['session_id'];
    return isOther ? { ...call, params: { session_id: newest.id } } : undefined;
  },
  'ef-br-null-proxy-stop-ignored': (call) =>
    names(call, 'v4.patchBrowser') && named(call)?.country === null
      ? { status: 200, body: { id: call.params['session_id'], status: 'stopped' } }
      : undefined,
  'ef-br-second-stop-restarts': (call) => {
    const browser = named(call);
    if (!names(call, 'v4.patchBrowser') || browser?.status !== 'stopped') return undefined;
    Object.assign(browser, { status: 'active', finishedAt: null });
    return { status: 200, body: { id: browser.id, status: 'stopped' } };
  },
  'ef-br-same-body-same': (call) => {
    const kept = remember(call.project);
    if (!names(call, 'v4.createBrowser') || kept['browser body'] !== toKey(call)) return undefined;
    return Date.now() - Number(kept['browser at']) < 1000 ? { status: 201, body: kept['browser answer'] } : undefined;
  },
};

function withoutLevel(call: Call): Call | undefined {
  const body = bodyObject(call);
  return typeof body['thinkingLevel'] === 'string' ? { ...call, body: { ...body, thinkingLevel: null } } : undefined;
}

function named(call: Call): Browser | undefined {
  return call.project.browsers.get((call.params['session_id'] ?? '').toLowerCase());
}

/** Stops all standalone browsers of a project. */
function stopAll(call: Call): void {
  for (const browser of call.project.browsers.values())
    if (browser.status === 'active') Object.assign(browser, { status: 'stopped', finishedAt: now(call.world) });
}

/** Faults in which a response has a side effect; each function returns whether its fault took effect. */
const effects: Partial<Record<FaultId, (answered: Answered) => boolean>> = {
  'ef-v2-refusal-stops-session': ({ call, answer }) => {
    const session = call.project.sessions2.get(String(bodyObject(call)['sessionId']));
    if (!names(call, 'v2.create') || answer.status !== 422 || session?.status !== 'active') return false;
    closeSession(call.world, session);
    return true;
  },
  'ef-v2-refusal-stops-task': ({ call, answer }) => {
    const open = [...call.project.tasks.values()].findLast(isTaskOpen);
    if (!names(call, 'v2.create') || answer.status !== 422 || !open) return false;
    stopTask(call.world, open);
    return true;
  },
  'ef-v2-refusal-late-task': ({ call, answer }) => {
    if (!names(call, 'v2.create') || answer.status !== 422) return false;
    const body = { task: String(bodyObject(call)['task']), llm: 'svc-2.0' };
    later(call.world, 300, () => createTask(call, body, openSession(call, {}, true)));
    return true;
  },
  'ef-v4-refusal-late-run': ({ call, answer }) => {
    if (!names(call, 'v4.create') || answer.status !== 422) return false;
    const body = { task: String(bodyObject(call)['task']), model: 'minimax-m3' };
    later(call.world, 300, () => createRun(call, body, openConversation(call, {})));
    return true;
  },
  'ef-br-refused-stop-acts': ({ call, answer }) => {
    const browser = named(call);
    if (!names(call, 'v4.patchBrowser') || answer.status !== 422 || browser?.status !== 'active') return false;
    Object.assign(browser, { status: 'stopped', finishedAt: now(call.world) });
    return true;
  },
  'ef-br-run-end-ends': ({ call, answer }) => {
    const isEnd = call.operation.startsWith('v4.') && isObject(answer.body) && answer.body['status'] === 'completed';
    if (isEnd) stopAll(call);
    return isEnd;
  },
  'ef-br-task-stop-ends': ({ call }) => {
    if (names(call, 'v2.patch')) stopAll(call);
    return names(call, 'v2.patch');
  },
};

/** Faults that change the texts and other members of refusals. */
const texts: Partial<Record<FaultId, (answered: Answered) => void>> = {
  'ef-v2-msg-date-cut': reword((msg) => msg.replace(/Model "(claude[\w-]+)-\d{8}"/, 'Model "$1"')),
  'ef-v2-msg-lists-medium': reword((msg, { operation }) =>
    operation === 'v2.create' ? msg.replace(/values: low, high$/, 'values: low, medium, high') : msg,
  ),
  'ef-v2-msg-no-provider-o': reword((msg) => msg.replace(/("o[34][\w-]*" \(provider)"? "\w+"/, '$1 ""')),
  'ef-v2-msg-earlier-level': reword((msg, call) => {
    const level = /thinking_level="(\w+)"/.exec(msg)?.[1];
    if (!names(call, 'v2.create') || level === undefined) return msg;
    const kept = remember(call.project);
    const before = kept['level before'];
    kept['level before'] = level;
    return typeof before === 'string' ? msg.replace(`thinking_level="${level}"`, `thinking_level="${before}"`) : msg;
  }),
  'ef-mp-msg-other-path-list': reword((msg) =>
    msg.replace('values: omitted, summarized', 'values: high, low, max, medium, xhigh'),
  ),
  'ef-mp-msg-earlier-model': reword((msg, call) => {
    const model = /^Model "([^"]+)" does not support modelParams/.exec(msg)?.[1];
    if (model === undefined) return msg;
    const kept = remember(call.project);
    const before = kept['model before'];
    kept['model before'] = model;
    return typeof before === 'string' ? msg.replace(`"${model}"`, `"${before}"`) : msg;
  }),
  'ef-mp-msg-long-unsorted': reword((msg) =>
    msg.replace('high, low, max, medium, none, xhigh', 'none, low, medium, high, xhigh, max'),
  ),
  'ef-mp-loc-null': changeRefusal(/modelParams\./, (element) => ({ ...element, loc: ['body', null] })),
  'ef-mp-type-missing': changeRefusal(/modelParams\./, ({ type: _type, ...rest }) => rest),
  'ef-v2-msg-type-missing': changeRefusal(/thinking_level/, ({ type: _type, ...rest }, call) =>
    names(call, 'v2.create') ? rest : { ...rest, type: _type },
  ),
};

/**
 * Applies active faults to a request. Returns the request, possibly changed, or a response of a fault. Throws a
 * `Refusal` if a fault refuses the request.
 */
export const beginEffects = createBegin(refusals, requests);

/** Applies active faults to a response, and performs their side effects. */
export function concludeEffects(call: Call, given: Answer): Answer {
  const { faults } = call.world;
  const answered: Answered = { call, answer: { status: given.status, body: given.body } };
  for (const [id, change] of faults.entries(texts)) {
    const before = JSON.stringify(answered.answer);
    change(answered);
    if (JSON.stringify(answered.answer) !== before) faults.reached.add(id);
  }
  for (const [id, act] of faults.entries(effects)) if (act(answered)) faults.reached.add(id);
  note(call, answered.answer);
  return { ...given, ...answered.answer };
}

/** Stores data of a request that active faults use in later requests. */
function note(call: Call, answer: Answered['answer']): void {
  const kept = remember(call.project);
  const body = bodyObject(call);
  const session = String(body['sessionId']);
  if (names(call, 'v2.create') || names(call, 'v4.create')) {
    kept['refused'] = answer.status === 422 ? toKey(call) : undefined;
    kept['accepted level'] = answer.status < 300 && typeof body['thinkingLevel'] === 'string';
    if (answer.status === 422) kept[`blocked ${session}`] = true;
    else if (namesSession(body)) kept[`llm ${session}`] ??= body['llm'];
    if (answer.status < 300 && typeof body['thinkingLevel'] === 'string')
      kept[`level ${session}`] = body['thinkingLevel'];
  }
  if (names(call, 'v4.createBrowser') && answer.status < 300)
    Object.assign(kept, { 'browser body': toKey(call), 'browser answer': answer.body, 'browser at': Date.now() });
}

/**
 * Answers a method that the path does not offer with 405. With the fault `ef-br-delete-stops`, DELETE of an active
 * browser stops this browser and gets 204.
 */
export function serveOtherMethod(call: Call, method: string): Answer {
  const browser = named(call);
  if (method !== 'DELETE' || browser?.status !== 'active' || !call.world.faults.has('ef-br-delete-stops'))
    return { status: 405, body: { detail: 'Method Not Allowed' } };
  Object.assign(browser, { status: 'stopped', finishedAt: now(call.world) });
  return { status: 204 };
}
