/**
 * Faults that change requests and responses. Most of them occur only in one case, such as one state of a session, one
 * model, or the second read of a record.
 */
import type { FaultId } from '../faults/index.ts';
import { type Answer, bodyObject, type Call, Refusal } from './call.ts';
import { isObject } from './outputs.ts';
import { type Json, now, type Run, type Session } from './world.ts';

/** A request and its answer, whose status and body a fault may change. */
export interface Answered {
  readonly call: Call;
  answer: { status: number; body: unknown };
}

/** A session that a response contains: its record in the response (`view`) and its state (`session`). */
interface Shown extends Answered {
  readonly view: Json;
  readonly session: Session;
}

/** Returns true if a session has ended. */
export const hasEnded = ({ status }: Session): boolean => ['stopped', 'timed_out', 'error'].includes(status);
/** Returns true if the last task of a session failed. */
export const isFailed = ({ status, successful }: Session): boolean => status !== 'running' && successful === false;

/** Represents a request body that is not JSON. */
export const noJson = Symbol('no JSON');

/** State of faults that remember earlier requests. */
const memory = new WeakMap<object, Json>();

/** Returns the object in which faults store data about a record, a project or a world. */
export function remember(key: object): Json {
  const kept = memory.get(key) ?? {};
  memory.set(key, kept);
  return kept;
}

/**
 * Increments a named counter of a record, a project or a world, and returns the new value. The first call returns 1.
 */
export function count(key: object, name: string): number {
  const kept = remember(key);
  kept[name] = Number(kept[name] ?? 0) + 1;
  return Number(kept[name]);
}

const sessionFaults: Partial<Record<FaultId, (shown: Shown) => void>> = {
  'at-output-false-after-failure': ({ view, session }) => {
    if (isFailed(session)) view['output'] = false;
  },
  'at-output-object-after-stop': ({ view, session }) => {
    if (session.status === 'stopped' && session.output === null) view['output'] = {};
  },
  'at-recording-null-while-running': ({ view, session }) => {
    if (session.status === 'running') view['recordingUrls'] = null;
  },
  'at-recording-objects': ({ view, session }) => {
    view['recordingUrls'] = session.recordingUrls.map((url) => ({ url }));
  },
  'at-country-empty': ({ view, session }) => {
    if (session.country === null) view['proxyCountryCode'] = '';
  },
  'at-ceiling-exponent': ({ view, session }) => {
    if (session.ceiling !== null) view['maxCostUsd'] = (session.ceiling / 1e6).toExponential();
  },
  'at-ceiling-rounded': ({ view, session }) => {
    if (session.ceiling !== null) view['maxCostUsd'] = (session.ceiling / 1e6).toFixed(1);
  },
  'at-cost-two-signs': ({ view }) => {
    if (Number(view['llmCostUsd']) > 0) view['llmCostUsd'] = `+-${String(view['llmCostUsd'])}`;
  },
  'at-cost-dot': ({ view }) => {
    if (Number(view['proxyUsedMb']) === 0) view['proxyUsedMb'] = '.';
  },
  'at-cost-nan': ({ view }) => {
    if (Number(view['browserCostUsd']) === 0) view['browserCostUsd'] = 'NaN';
  },
  'at-cost-null-at-start': ({ view, session }) => {
    if (session.stepCount === 0) view['llmCostUsd'] = null;
  },
  'at-integrations-objects': ({ view }) => void (view['integrationsUsed'] = [{ name: 'mail' }]),
  'at-created-epoch': ({ view, session }) => void (view['createdAt'] = String(Math.floor(session.createdAt / 1000))),
  'at-updated-naive-at-end': ({ view, session }) => {
    if (hasEnded(session)) view['updatedAt'] = String(view['updatedAt']).slice(0, 19);
  },
  'at-created-other-zone': ({ view, session }) => {
    view['createdAt'] = `${new Date(session.createdAt).toISOString().slice(0, -1)}-05:00`;
  },
  'at-status-padded': ({ view, session }) => {
    if (session.status === 'idle') view['status'] = 'idle ';
  },
  'at-error-word': ({ view, session }) => {
    if (session.status === 'error') view['status'] = 'failed';
  },
  'at-model-upper': ({ view }) => {
    if (String(view['model']).startsWith('gpt')) view['model'] = String(view['model']).toUpperCase();
  },
  'at-schema-required-lost': ({ view, session }) => {
    if (session.outputSchema) view['outputSchema'] = { ...session.outputSchema, required: [] };
  },
  'at-schema-null-after-end': ({ view, session }) => {
    if (hasEnded(session)) view['outputSchema'] = null;
  },
  'at-level-lost-after-end': ({ view, session }) => {
    if (hasEnded(session)) view['thinkingLevel'] = null;
  },
  'at-level-lost-for-aliases': ({ view, session }) => {
    if (session.askedModel.startsWith('svc-')) view['thinkingLevel'] = null;
  },
  'at-level-high-on-luna': ({ view, session }) => {
    if (session.model === 'gpt-5.6-luna' && session.level !== null) view['thinkingLevel'] = 'high';
  },
  'at-model-changes-at-follow-up': ({ view, session }) => {
    if (session.tasks > 1) view['model'] = 'claude-opus-4.7';
  },
  'at-alias-after-first-look': ({ view, session }) => {
    if (session.askedModel === 'svc-mini' && count(session, 'aliasLooks') > 1) view['model'] = 'gemini-3.5-flash';
  },
  'at-title-lost-at-follow-up': ({ view, session }) => {
    if (session.tasks > 1) view['title'] = null;
  },
  'at-steps-again-at-follow-up': ({ view, session }) => {
    const kept = remember(session);
    if (kept['tasks'] !== session.tasks) Object.assign(kept, { tasks: session.tasks, stepsBefore: session.stepCount });
    view['stepCount'] = session.tasks > 1 ? session.stepCount - Number(kept['stepsBefore']) : session.stepCount;
  },
  'at-success-null-after-failure': ({ view, session }) => {
    if (isFailed(session)) view['isTaskSuccessful'] = null;
  },
  'at-success-kept-at-second-follow-up': ({ view, session }) => {
    if (session.tasks === 3 && session.status === 'running') view['isTaskSuccessful'] = true;
  },
  'at-live-null-while-running': ({ view, session }) => {
    if (session.status === 'running') view['liveUrl'] = null;
  },
  'at-live-policy': ({ view }) => void (view['liveUrl'] = `${String(view['liveUrl'])}?policy=none`),
  'at-live-redirects-to-sign-in': ({ view }) => void (view['liveUrl'] = `${String(view['liveUrl'])}?signin=yes`),
  'at-inbox-changes': ({ view, session }) => {
    if (session.inbox !== null) view['inboxEmail'] = `${count(session, 'inboxLooks')}-${session.inbox}`;
  },
  'at-workspace-hidden': ({ view }) => void (view['workspaceId'] = null),
  'at-total-stale-while-running': ({ view, session }) => {
    if (session.status === 'running') view['totalCostUsd'] = '0';
  },
  'at-total-rounded': ({ view }) => void (view['totalCostUsd'] = Number(view['totalCostUsd']).toFixed(2)),
  'at-screenshot-same-after-end': ({ view, session }) => {
    const kept = remember(session);
    if (hasEnded(session)) view['screenshotUrl'] = kept['shot'] ??= view['screenshotUrl'];
  },
  'at-screenshot-dies-early': ({ view, call }) => {
    if (typeof view['screenshotUrl'] !== 'string') return;
    const until = Math.floor(now(call.world) / 1000) + 60;
    view['screenshotUrl'] = view['screenshotUrl'].replace(/until=\d+/, `until=${until}`);
  },
  'at-screenshot-is-page': ({ view, session, call }) => {
    if (typeof view['screenshotUrl'] === 'string')
      view['screenshotUrl'] = `${call.world.url}/live/${session.id}?n=${count(session, 'shots')}`;
  },
  'at-recording-lost-when-kept': ({ view, session }) => {
    if (session.keepAlive) view['recordingUrls'] = [];
  },
  'at-recording-lost-in-code-mode': ({ view, session }) => {
    if (session.codeMode) view['recordingUrls'] = [];
  },
  'at-code-empty': ({ view }) => {
    if (isObject(view['output']) && 'code' in view['output']) view['output'] = { ...view['output'], code: '' };
  },
  'at-code-lost-at-follow-up': ({ view, session }) => {
    if (session.codeMode && session.tasks > 1 && session.output !== null) view['output'] = 'Ready.';
  },
  'at-third-task-stops': ({ view, session }) => {
    if (session.tasks >= 3 && session.status === 'idle') view['status'] = 'stopped';
  },
  'at-timed-out-returns': ({ view, session, call }) => {
    if (call.operation === 'v3.get' && session.status === 'timed_out' && count(session, 'timedOut') > 1)
      view['status'] = 'idle';
  },
  'at-get-stale': (shown) => {
    const { view, session, call, answer } = shown;
    const kept = remember(session);
    if (call.operation !== 'v3.get' || session.status === 'created') return;
    kept['stale'] ??= { ...view };
    if (session.status === 'running') answer.body = { ...(isObject(kept['stale']) ? kept['stale'] : view) };
  },
};

const runFaults: Partial<Record<FaultId, (shown: Answered & { view: Json; run: Run }) => void>> = {
  'at-result-lost-at-second-look': ({ view, run }) => {
    if (run.status === 'completed' && count(run, 'looks') > 1) view['result'] = null;
  },
  'at-result-list': ({ view, run }) => {
    if (run.result !== null) view['result'] = run.result.split('');
  },
  'at-run-forgotten': ({ answer, run }) => {
    if (run.status !== 'completed' || count(run, 'looks') < 3) return;
    Object.assign(answer, { status: 404, body: { detail: 'Run not found' } });
  },
};

/** Creates a function that changes each element of `detail` in a 422 response. */
function detail(change: (element: Json, call: Call) => Json): (answered: Answered) => void {
  return ({ call, answer }) => {
    const { body } = answer;
    if (answer.status !== 422 || !isObject(body) || !Array.isArray(body['detail'])) return;
    answer.body = { detail: body['detail'].map((element) => (isObject(element) ? change(element, call) : element)) };
  };
}

/** Creates a function that changes the message of each element of `detail` in a 422 response. */
export const reword = (change: (msg: string, call: Call) => string): ((answered: Answered) => void) =>
  detail((element, call) => ({ ...element, msg: change(String(element['msg']), call) }));

/**
 * Creates a function that changes elements of `detail` in a 422 response: only the elements whose message matches
 * `wanted`.
 */
export const changeRefusal = (
  wanted: RegExp,
  change: (element: Json, call: Call) => Json,
): ((answered: Answered) => void) =>
  detail((element, call) => (wanted.test(String(element['msg'])) ? change(element, call) : element));

/** Returns true if a request sends a further task to a session. */
export const isFollowUp = ({ operation, body }: Call): boolean =>
  operation === 'v3.create' && isObject(body) && typeof body['sessionId'] === 'string';

const answerFaults: Partial<Record<FaultId, (answered: Answered) => void>> = {
  'at-json-detail-text': ({ call, answer }) => {
    if (call.body === noJson) answer.body = { detail: 'The body is no JSON' };
  },
  'at-json-500': ({ call, answer }) => {
    if (call.body === noJson) answer.status = 500;
  },
  'at-array-500': ({ call, answer }) => {
    if (Array.isArray(call.body)) answer.status = 500;
  },
  'at-loc-null': detail((element) => ({
    ...element,
    loc: [...(Array.isArray(element['loc']) ? element['loc'] : []), null],
  })),
  'at-level-list-one-short': reword((msg) => (msg.includes('thinking_level') ? msg.replace(/, \w+$/, '') : msg)),
  'at-level-list-upper': reword((msg) =>
    msg.includes('thinking_level')
      ? msg.replace(/values: .*$/, (list) => `values: ${list.slice(8).toUpperCase()}`)
      : msg,
  ),
  'at-params-slashes': reword((msg) => msg.replace(/modelParams\.[\w.]+/, (path) => path.replaceAll('.', '/'))),
  'at-params-claude-unsorted': reword((msg) =>
    msg.includes('"claude') ? msg.replace('high, low, max, medium, xhigh', 'low, medium, high, xhigh, max') : msg,
  ),
  'at-v2-text-of-v4': reword((msg, { operation }) =>
    operation === 'v2.create' ? msg.replace('thinking_level', 'modelParams.thinkingLevel') : msg,
  ),
  'at-id-braces-404': (answered) => hideIds(answered, (id) => id.startsWith('{')),
  'at-id-number-404': (answered) => hideIds(answered, (id) => /^\d+$/.test(id)),
  'at-follow-up-detail-object': ({ call, answer }) => {
    const { body } = answer;
    if (isFollowUp(call) && answer.status === 422 && isObject(body) && Array.isArray(body['detail']))
      answer.body = { detail: { ...body['detail'][0] } };
  },
  'at-refusal-adds-step': ({ call, answer }) => {
    const session = call.project.sessions.get(String(bodyObject(call)['sessionId']));
    if (session && answer.status === 422) session.stepCount += 1;
  },
  'at-events-skip-at-cursor': (answered) =>
    changeEvents(answered, (events, { query }) =>
      events.slice(query.has('after') && query.get('after') !== '0' ? 1 : 0),
    ),
  'at-events-emptied-at-end': (answered) =>
    changeEvents(answered, (events, { project, params }) => {
      const run = project.runs.get(params['run_id'] ?? '');
      return run?.status === 'completed' || run?.status === 'cancelled' ? [] : events;
    }),
  'at-events-last-first': (answered) =>
    changeEvents(answered, (events) => [...events.slice(-1), ...events.slice(0, -1)]),
  'at-second-browser-address': ({ call, answer }) => {
    const { body } = answer;
    const kept = remember(call.project);
    if (call.operation !== 'v4.createBrowser' || !isObject(body)) return;
    kept['cdpUrl'] ??= body['cdpUrl'];
    answer.body = { ...body, cdpUrl: kept['cdpUrl'] };
  },
  'at-country-without-id': ({ call, answer }) => {
    const { body } = answer;
    if (
      call.operation === 'v4.createBrowser' &&
      isObject(body) &&
      typeof bodyObject(call)['proxyCountryCode'] === 'string'
    )
      answer.body = Object.fromEntries(Object.entries(body).filter(([name]) => name !== 'id'));
  },
  'at-null-proxy-without-address': ({ call, answer }) => {
    if (call.operation === 'v4.createBrowser' && isObject(answer.body) && bodyObject(call)['proxyCountryCode'] === null)
      answer.body = { ...answer.body, cdpUrl: null };
  },
  'at-list-ends': ({ call }) => {
    if (call.operation !== 'v4.listBrowsers') return;
    for (const browser of call.project.browsers.values())
      if (browser.status === 'active') Object.assign(browser, { status: 'stopped', finishedAt: now(call.world) });
  },
};

function hideIds({ call, answer }: Answered, fits: (id: string) => boolean): void {
  if (call.operation === 'v3.get' && fits(call.params['session_id'] ?? ''))
    Object.assign(answer, { status: 404, body: { detail: 'Session not found' } });
}

function changeEvents({ call, answer }: Answered, change: (events: unknown[], call: Call) => unknown[]): void {
  if (call.operation !== 'v4.events' || !isObject(answer.body) || !Array.isArray(answer.body['events'])) return;
  answer.body = { ...answer.body, events: change(answer.body['events'], call) };
}

/** Faults that refuse a valid request. */
const refusalsByFault: Refuses = {
  'at-null-level-refused-in-follow-up': (body, call) => isFollowUp(call) && body['thinkingLevel'] === null,
  'at-uk-refused': (body, { operation }) => operation === 'v3.create' && body['proxyCountryCode'] === 'uk',
  'at-own-key-snake-refused': (body, { operation }) => operation === 'v3.create' && body['use_own_key'] === true,
  'at-empty-params-refused': (body, { operation }) =>
    operation === 'v4.create' && isObject(body['modelParams']) && Object.keys(body['modelParams']).length === 0,
  'at-two-paths-refused': (body, { operation }) =>
    operation === 'v4.create' && isObject(body['modelParams']) && Object.keys(body['modelParams']).length > 1,
  'at-v2-null-level-refused': (body, { operation }) => operation === 'v2.create' && body['thinkingLevel'] === null,
  'at-v2-thinking-refused': (body, { operation }) => operation === 'v2.create' && body['thinking'] === true,
  'at-v2-thinking-with-level-refused': (body, { operation }) =>
    operation === 'v2.create' && body['thinking'] === true && typeof body['thinkingLevel'] === 'string',
  'at-long-task-refused': (body, { operation }) => operation === 'v3.create' && String(body['task']).length > 500,
  'at-uk-browser-refused': (body, { operation }) =>
    operation === 'v4.createBrowser' && body['proxyCountryCode'] === 'uk',
};

/** Faults that change a request before its handler gets the request, or respond in place of the handler. */
const requestFaults: ChangesRequest = {
  'at-every-seventh-unchecked': (call) => {
    if (call.operation !== 'v3.create' || count(call.project, 'creations') % 7 !== 0) return undefined;
    return { ...call, body: { ...bodyObject(call), thinkingLevel: null } };
  },
  'at-created-takes-task': (call) => {
    const session = call.project.sessions.get(String(bodyObject(call)['sessionId']));
    return call.operation === 'v3.create' && session?.status === 'created'
      ? { status: 200, body: { id: session.id, status: 'running' } }
      : undefined;
  },
  'at-third-task-never-runs': (call) => {
    const session = call.project.sessions.get(String(bodyObject(call)['sessionId']));
    return isFollowUp(call) &&
      session?.status === 'idle' &&
      session.tasks >= 2 &&
      bodyObject(call)['thinkingLevel'] === undefined
      ? { status: 200, body: { id: session.id, status: 'running' } }
      : undefined;
  },
  'at-every-second-stop-ignored': (call) => {
    if (call.operation !== 'v3.stop' || count(call.project, 'stops') % 2 !== 0) return undefined;
    return { status: 200, body: { id: call.params['session_id'] } };
  },
};

/** Predicates by fault id: whether the fault refuses a request. */
export type Refuses = Partial<Record<FaultId, (body: Json, call: Call) => boolean>>;
/** Functions by fault id that change a request, answer it, or return undefined for no change. */
export type ChangesRequest = Partial<Record<FaultId, (call: Call) => Call | Answer | undefined>>;

/**
 * Creates a function that applies active faults to a request. The function throws a `Refusal` with 422 if a fault
 * refuses the request; otherwise it returns the request, possibly changed, or a response of a fault.
 */
export function createBegin(refusals: Refuses, changes: ChangesRequest): (call: Call) => Call | Answer {
  return (call) => {
    const { faults } = call.world;
    const body = bodyObject(call);
    for (const [id, refuses] of faults.entries(refusals)) {
      if (refuses(body, call) && faults.has(id))
        throw new Refusal({
          status: 422,
          body: { detail: [{ loc: ['body'], msg: 'Not available', type: 'value_error' }] },
        });
    }
    for (const [id, change] of faults.entries(changes)) {
      const changed = change(call);
      if (changed !== undefined && faults.has(id)) return changed;
    }
    return call;
  };
}

/**
 * Applies active faults to a request. Returns the request, possibly changed, or a response of a fault. Throws a
 * `Refusal` if a fault refuses the request.
 */
export const begin = createBegin(refusalsByFault, requestFaults);

/** Applies active faults to a response. */
export function conclude(call: Call, given: Answer): Answer {
  const { faults } = call.world;
  const answered: Answered = { call, answer: { status: given.status, body: given.body } };
  const { body } = given;
  if (isObject(body) && call.operation.startsWith('v3.') && typeof body['id'] === 'string') {
    const session = call.project.sessions.get(body['id']);
    const view = { ...body };
    answered.answer.body = view;
    if (session) faults.distort(sessionFaults, { ...answered, view, session });
  }
  if (isObject(body) && call.operation === 'v4.getRun' && typeof body['id'] === 'string') {
    const run = call.project.runs.get(body['id']);
    const view = { ...body };
    answered.answer.body = view;
    if (run) faults.distort(runFaults, { ...answered, view, run });
  }
  faults.distort(answerFaults, answered);
  return { ...given, ...answered.answer };
}
