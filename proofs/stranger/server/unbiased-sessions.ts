/** Faults of V3 sessions and of the modelParams of V4, written from the contract alone. */
import type { FaultId } from '../faults/index.ts';
import { type Answer, bodyObject, type Call } from './call.ts';
import { uuidPattern } from './checks.ts';
import { followed, type Shown, withText } from './jobs-sessions.ts';
import { type ChangesRequest, count, createBegin, hasEnded, type Refuses, remember } from './moments.ts';
import { isObject } from './outputs.ts';
import { levels, ownKeyModels, v3Levels } from './tables.ts';
import { type Json, now, type Session } from './world.ts';

const isCreation = (call: Call): boolean => call.operation === 'v3.create' && followed(call) === undefined;
const isAtRest = (session: Session): boolean =>
  session.tasks > 0 && session.status !== 'running' && session.status !== 'created';

function named(call: Call): Session | undefined {
  return call.project.sessions.get((call.params['session_id'] ?? '').toLowerCase());
}

/** Returns the body of a V4 creation; an empty object for other requests. */
const runBody = (call: Call): Json => (call.operation === 'v4.create' ? bodyObject(call) : {});

/** Returns a value of `modelParams` by its path with dots. */
function paramAt(body: Json, path: string): unknown {
  return path.split('.').reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), body['modelParams']);
}

const refusesPair =
  (model: string, level: string) =>
  (body: Json, call: Call): boolean =>
    isCreation(call) && body['model'] === model && body['thinkingLevel'] === level;

const refusesLevelLater =
  (model: string, level: string) =>
  (body: Json, call: Call): boolean =>
    followed(call)?.model === model && body['thinkingLevel'] === level;

const refusesModel =
  (model: string) =>
  (body: Json, call: Call): boolean =>
    isCreation(call) && body['model'] === model;

const refusesValue =
  (model: string, path: string, value: string) =>
  (_body: Json, call: Call): boolean =>
    runBody(call)['model'] === model && paramAt(runBody(call), path) === value;

const refusals: Refuses = {
  'us-model-required': (body, call) => isCreation(call) && body['model'] === undefined,
  'us-glm-disabled-refused': refusesPair('glm-5.2', 'disabled'),
  'us-ultra-high-refused': refusesPair('svc-ultra', 'high'),
  'us-sonnet5-high-by-name': refusesPair('claude-sonnet-5', 'high'),
  'us-gpt52-refused': refusesModel('gpt-5.2'),
  'us-opus48-unknown': refusesModel('claude-opus-4.8'),
  'us-legacy-unknown': refusesModel('claude-sonnet-4.6'),
  'us-follow-up-glm-disabled': refusesLevelLater('glm-5.2', 'disabled'),
  'us-follow-up-opus46-low': refusesLevelLater('claude-opus-4.6', 'low'),
  'us-terra-max-refused': refusesValue('gpt-5.6-terra', 'reasoning.effort', 'max'),
  'us-flash-minimal-refused': refusesValue('gemini-3-flash', 'thinkingConfig.thinkingLevel', 'minimal'),
  'us-opus48-summarized-refused': refusesValue('claude-opus-4.8', 'thinking.display', 'summarized'),
  'us-opus5-effort-type-refused': (_body, call) =>
    runBody(call)['model'] === 'claude-opus-5' &&
    paramAt(runBody(call), 'output_config.effort') !== undefined &&
    paramAt(runBody(call), 'thinking.type') !== undefined,
  'us-minimax-wants-params': (_body, call) =>
    runBody(call)['model'] === 'minimax-m3' && runBody(call)['modelParams'] === undefined,
};

/**
 * Creates a function that changes the body of a V3 creation or follow-up for which `test` returns true. The function
 * returns undefined for any other request.
 */
const rewritten =
  (test: (body: Json, call: Call) => boolean, change: (body: Json) => Json) =>
  (call: Call): Call | undefined => {
    const body = bodyObject(call);
    return call.operation === 'v3.create' && test(body, call) ? { ...call, body: change(body) } : undefined;
  };

/**
 * Creates a function that removes `modelParams` from a V4 creation for which `test` returns true. The function returns
 * undefined for any other request.
 */
const unchecked =
  (test: (body: Json) => boolean) =>
  (call: Call): Call | undefined => {
    const { modelParams, ...rest } = runBody(call);
    return isObject(modelParams) && test(runBody(call)) ? { ...call, body: rest } : undefined;
  };

/** Returns true if a body contains the member `other` and, after it, the member `name`. */
function isAfter(body: Json, name: string, other: string): boolean {
  const names = Object.keys(body);
  return names.includes(other) && names.indexOf(name) > names.indexOf(other);
}

const withoutLevel = ({ thinkingLevel: _level, ...body }: Json): Json => body;

/** Returns whether a follow-up asks for a known level that the model of its session does not support. */
function isUnsupportedLater(call: Call): boolean {
  const session = followed(call);
  const level = levels.find((one) => one === bodyObject(call)['thinkingLevel']);
  return session !== undefined && level !== undefined && v3Levels.get(session.model)?.includes(level) === false;
}

/** Faults that change a request or answer it. */
const requests: ChangesRequest = {
  'us-level-after-model-lost': rewritten((body) => isAfter(body, 'thinkingLevel', 'model'), withoutLevel),
  'us-mailbox-keeps': rewritten(
    (body) => body['inbox'] === true && body['keepAlive'] === false,
    (body) => ({ ...body, keepAlive: true }),
  ),
  'us-own-key-glm-low': rewritten(
    (body) => body['useOwnKey'] === true && body['model'] === 'glm-5.2' && body['thinkingLevel'] === 'low',
    withoutLevel,
  ),
  'us-own-key-snake-false': rewritten(
    (body) => body['use_own_key'] === false && ownKeyModels.has(String(body['model'])),
    (body) => ({ ...body, use_own_key: true }),
  ),
  'us-luna-xhigh': rewritten(
    (body) => body['model'] === 'gpt-5.6-luna' && body['thinkingLevel'] === 'xhigh',
    (body) => ({ ...body, thinkingLevel: 'high' }),
  ),
  'us-model-grok': rewritten(
    (body) => body['model'] === 'grok-4.5',
    (body) => ({ ...body, model: 'claude-opus-4.8' }),
  ),
  'us-follow-up-checked-with-model': rewritten(
    (body, call) => body['model'] === undefined && isUnsupportedLater(call),
    withoutLevel,
  ),
  'us-upper-id-other': (call) => {
    const id = call.params['session_id'] ?? '';
    const other = [...call.project.sessions.keys()].find((one) => one !== id.toLowerCase());
    const isUpper = call.operation === 'v3.get' && named(call) !== undefined && id !== id.toLowerCase();
    return isUpper && other !== undefined ? { ...call, params: { ...call.params, session_id: other } } : undefined;
  },
  'us-sol-other-path': unchecked(
    (body) => body['model'] === 'gpt-5.6-sol' && paramAt(body, 'thinkingConfig.thinkingLevel') !== undefined,
  ),
  'us-opus48-type-any': unchecked(
    (body) =>
      body['model'] === 'claude-opus-4.8' &&
      !['adaptive', 'disabled', undefined].some((value) => value === paramAt(body, 'thinking.type')),
  ),
  'us-flat-key': unchecked(
    ({ modelParams }) => isObject(modelParams) && Object.keys(modelParams).some((name) => name.includes('.')),
  ),
  'us-params-before-model': unchecked((body) => isAfter(body, 'model', 'modelParams')),
};

const begin = createBegin(refusals, requests);

/**
 * Stores the status of a session before its stop, and applies active faults to a request. Returns the request, possibly
 * changed, or a response of a fault. Throws a `Refusal` if a fault refuses the request.
 */
export function beginUnbiasedSessions(call: Call): Call | Answer {
  const session = named(call);
  if (session && call.operation === 'v3.stop') remember(session)['before this stop'] = session.status;
  return begin(call);
}

const costs = ['llmCostUsd', 'proxyCostUsd', 'browserCostUsd', 'totalCostUsd'];

/**
 * Returns how often a session was fetched since its latest task ended, this fetch included. Returns 2 if the request is
 * not a fetch, and 0 for a session without a task or with a task in progress.
 */
function looksAtRest({ session, call }: Shown): number {
  if (!isAtRest(session)) return 0;
  return call.operation === 'v3.get' ? count(session, `looks at rest ${session.tasks}`) : 2;
}

/** Faults in the record of a session in a response. */
const views: Partial<Record<FaultId, (shown: Shown) => void>> = {
  'us-model-absent-unnamed': ({ view, session, call }) => {
    if (isCreation(call) && bodyObject(call)['model'] === undefined) remember(session)['unnamed'] = true;
    if (remember(session)['unnamed'] === true) delete view['model'];
  },
  'us-completed-word': ({ view, session }) => {
    if (session.status === 'idle' && session.tasks > 0) view['status'] = 'completed';
  },
  'us-workspace-is-id': ({ view, session }) => {
    if (session.workspaceId !== null) view['workspaceId'] = session.id;
  },
  'us-input-tokens-zero': ({ view }) => void (view['totalInputTokens'] = 0),
  'us-proxy-cost-dash': ({ view, session }) => {
    if (session.meters.proxyKilobytes === 0) view['proxyCostUsd'] = '-';
  },
  'us-integrations-object': ({ view }) => void (view['integrationsUsed'] = {}),
  'us-integrations-nulls': ({ view }) => void (view['integrationsUsed'] = [null]),
  'us-created-of-follow-up': ({ view, session, call }) => {
    const begun = (remember(session)[`begun ${session.tasks}`] ??= call.world.dialect.time(now(call.world)));
    if (session.tasks > 1) view['createdAt'] = begun;
  },
  'us-steps-zero-at-end': (shown) => {
    if (looksAtRest(shown) === 1) shown.view['stepCount'] = 0;
  },
  'us-title-lost-at-end': ({ view, session }) => {
    if (isAtRest(session)) view['title'] = null;
  },
  'us-shot-fragment': ({ view, session }) => {
    const shown = view['screenshotUrl'];
    const first = (remember(session)['first shot'] ??= shown ?? undefined);
    if (typeof first === 'string') view['screenshotUrl'] = `${first}#${count(session, 'shot fragments')}`;
  },
  'us-shot-second-missing': ({ view, session }) => {
    if (typeof view['screenshotUrl'] !== 'string' || count(session, 'shots so far') % 2 === 1) return;
    view['screenshotUrl'] = view['screenshotUrl'].replace('/media/', '/lost/');
  },
  'us-live-dead-at-creation': ({ view, session, call }) => {
    if (isCreation(call)) view['liveUrl'] = `${call.world.url}/lost/${session.id}`;
  },
  'us-level-null-is-disabled': ({ view, session }) => {
    if (session.level === null) view['thinkingLevel'] = 'disabled';
  },
  'us-ceiling-thousands': ({ view, session }) => {
    if (session.ceiling !== null) view['maxCostUsd'] = (session.ceiling / 1e6).toLocaleString('en-US');
  },
  'us-llm-cost-signs': ({ view, session }) => {
    if (session.stepCount === 0) view['llmCostUsd'] = '-.';
  },
  'us-proxy-nan': ({ view, session }) => {
    if (session.meters.proxyKilobytes === 0) view['proxyUsedMb'] = 'NaN';
  },
  'us-created-blank': ({ view, session }) =>
    void (view['createdAt'] = new Date(session.createdAt).toISOString().slice(0, 19).replace('T', ' ')),
  'us-summary-object-idle': ({ view, session }) => {
    if (session.status === 'idle' && session.lastStepSummary !== null)
      view['lastStepSummary'] = { text: session.lastStepSummary };
  },
  'us-output-of-same-task': ({ view, session, call }) => {
    const other = [...call.project.sessions.values()].find(
      (one) => one !== session && one.task === session.task && one.output !== null,
    );
    if (session.output !== null && other) view['output'] = other.output;
  },
  'us-kept-code-plain': ({ view, session }) => {
    if (session.keepAlive && session.codeMode && session.output !== null) view['output'] = 'Ready.';
  },
  'us-recording-at-follow-up': ({ view, session, call }) => {
    if (session.tasks > 1 && isAtRest(session) && !session.recording)
      view['recordingUrls'] = [`${call.world.url}/media/${session.id}/recording.webm`];
  },
  'us-always-created': ({ view }) => void (view['status'] = 'created'),
  'us-success-is-error': ({ view, session }) => {
    if (session.successful === true && session.status !== 'running') view['status'] = 'error';
  },
  'us-idle-before-stopped': (shown) => {
    const { view, session } = shown;
    if (!session.keepAlive && session.status === 'stopped' && looksAtRest(shown) === 1) view['status'] = 'idle';
  },
  'us-costs-lag': (shown) => {
    if (looksAtRest(shown) !== 1) return;
    for (const name of costs) shown.view[name] = '0';
  },
  'us-stopped-runs': ({ view, session, call }) => {
    const isLate = call.operation === 'v3.get' && session.status === 'stopped' && count(session, 'stopped looks') > 2;
    if (isLate) view['status'] = 'running';
  },
  'us-summary-of-first-step': ({ view, session }) => {
    if (session.lastStepSummary !== null)
      view['lastStepSummary'] = remember(session)['first summary'] ??= session.lastStepSummary;
  },
  'us-steps-rise-after-end': (shown) => {
    if (isAtRest(shown.session)) shown.view['stepCount'] = shown.session.stepCount + count(shown.session, 'rises');
  },
  'us-query-shows-running': ({ view, session, call }) => {
    if (call.operation === 'v3.get' && session.status === 'idle' && call.query.size > 0) view['status'] = 'running';
  },
};

/**
 * Creates a function that returns the result of `change` for a 422 of one operation in which a `loc` contains `name`.
 * The function returns undefined for any other response.
 */
const inDetail =
  (operation: string, name: string, change: (detail: Json[], answer: Answer) => Answer | undefined) =>
  (call: Call, answer: Answer): Answer | undefined => {
    const { body } = answer;
    if (call.operation !== operation || answer.status !== 422 || !isObject(body) || !Array.isArray(body['detail']))
      return undefined;
    const detail = body['detail'].filter((element: unknown): element is Json => isObject(element));
    const isHit = detail.some(({ loc }) => Array.isArray(loc) && loc.includes(name));
    return isHit ? change(detail, answer) : undefined;
  };

/**
 * Creates a function that changes the JSON text of the body of a V3 creation or follow-up refused with 422. The
 * function returns undefined for other responses, and if nothing changes.
 */
const inLevelText =
  (change: (text: string) => string) =>
  (call: Call, answer: Answer): Answer | undefined =>
    call.operation === 'v3.create' && answer.status === 422 ? withText(answer, change) : undefined;

/**
 * Creates a function that changes the JSON text of the body of a V4 creation refused with 422. The function returns
 * undefined for other responses, and if nothing changes.
 */
const inParamsText =
  (change: (text: string) => string) =>
  (call: Call, answer: Answer): Answer | undefined =>
    call.operation === 'v4.create' && answer.status === 422 ? withText(answer, change) : undefined;

/**
 * Creates a function that applies `change` to an ended session after a successful stop request. The function returns
 * undefined for other responses, and if `change` returns false.
 */
const atStop =
  (change: (session: Session, before: unknown) => boolean) =>
  (call: Call, answer: Answer): Answer | undefined => {
    const session = named(call);
    if (call.operation !== 'v3.stop' || answer.status !== 200 || !session || !hasEnded(session)) return undefined;
    return change(session, remember(session)['before this stop']) ? { ...answer } : undefined;
  };

/**
 * Creates a function that answers requests for one operation with `other` if `isHit` accepts the session id. The
 * function returns undefined for any other request.
 */
const atId =
  (operation: string, isHit: (id: string) => boolean, other: Answer) =>
  (call: Call): Answer | undefined =>
    call.operation === operation && isHit(call.params['session_id'] ?? '') ? other : undefined;

const isPairRefused = ({ body }: Answer): boolean => JSON.stringify(body ?? null).includes('support thinking_level');
const isMalformed = (id: string): boolean => !uuidPattern.test(id);
const withoutType = ({ type: _type, ...element }: Json): Json => element;

/** Faults in the responses to invalid requests. */
const refused: Partial<Record<FaultId, (call: Call, answer: Answer) => Answer | undefined>> = {
  'us-unknown-model-400': inDetail('v3.create', 'model', (_detail, answer) => ({ ...answer, status: 400 })),
  'us-recording-object-500': (call, answer) =>
    call.operation === 'v3.create' && answer.status === 422 && isObject(bodyObject(call)['enableRecording'])
      ? { status: 500, body: { detail: 'Internal Server Error' } }
      : undefined,
  'us-two-problems-loc': inDetail('v3.create', 'body', (detail, answer) =>
    detail.length < 2
      ? undefined
      : {
          ...answer,
          body: {
            detail: detail.map((one) => ({ ...one, loc: Array.isArray(one['loc']) ? one['loc'].join('.') : '' })),
          },
        },
  ),
  'us-model-detail-text': inDetail('v3.create', 'model', (detail, answer) => ({
    ...answer,
    body: { detail: String(detail[0]?.['msg']) },
  })),
  'us-level-type-missing': inDetail('v3.create', 'thinkingLevel', (detail, answer) =>
    String(detail[0]?.['msg']).includes('thinking_level')
      ? undefined
      : { ...answer, body: { detail: detail.map((one) => withoutType(one)) } },
  ),
  'us-text-no-list': inLevelText((text) => text.replace(/ Supported values: [^"\\]*/, '')),
  'us-text-pro-three': inLevelText((text) =>
    /gemini-3\.1-pro.*=\\"medium/.test(text) ? text.replace('values: low, high', 'values: low, medium, high') : text,
  ),
  'us-text-old-pro-low': inLevelText((text) =>
    text.includes('gemini-3-pro') ? text.replace('values: low, high', 'values: low') : text,
  ),
  'us-text-always-disabled': inLevelText((text) => text.replace(/thinking_level=\\"\w+/, 'thinking_level=\\"disabled')),
  'us-text-glm-semicolons': inLevelText((text) =>
    text.includes('glm-5.2') ? text.replace('values: disabled, high', 'values: disabled; high') : text,
  ),
  'us-own-key-pair-400': (call, answer) =>
    bodyObject(call)['useOwnKey'] === true && answer.status === 422 && isPairRefused(answer)
      ? { ...answer, status: 400 }
      : undefined,
  'us-follow-up-error-body': (call, answer) =>
    followed(call) && answer.status === 422 ? { ...answer, body: { error: 'Not supported' } } : undefined,
  'us-follow-up-id-404': (call, answer) => {
    const { sessionId } = bodyObject(call);
    const isHit = call.operation === 'v3.create' && typeof sessionId === 'string' && isMalformed(sessionId);
    return isHit && answer.status === 422 ? { status: 404, body: { detail: 'Session not found' } } : undefined;
  },
  'us-stop-id-200': atId('v3.stop', isMalformed, { status: 200, body: { status: 'stopped' } }),
  'us-id-empty-body': atId('v3.get', isMalformed, { status: 422 }),
  'us-id-short-404': atId('v3.get', (id) => /^[0-9a-f-]{35}$/i.test(id), {
    status: 404,
    body: { detail: 'Session not found' },
  }),
  'us-id-letter-500': atId('v3.get', (id) => /^[\w-]{36}$/.test(id) && isMalformed(id), {
    status: 500,
    body: { detail: 'Internal Server Error' },
  }),
  'us-id-loc-objects': inDetail('v3.get', 'path', (detail, answer) => ({
    ...answer,
    body: { detail: detail.map((one) => ({ ...one, loc: [{}] })) },
  })),
  'us-params-text-no-path': inParamsText((text) => text.replace(/modelParams\.[\w.]+=/, 'modelParams=')),
  'us-text-type-lists-effort': inParamsText((text) =>
    text.includes('thinking.type') ? text.replace('adaptive, disabled', 'high, low, max, medium, xhigh') : text,
  ),
  'us-text-flash-other': inParamsText((text) => text.replace('\\"gemini-3.5-flash\\"', '\\"gemini-3-flash\\"')),
  'us-params-detail-empty': (call, answer) =>
    call.operation === 'v4.create' && JSON.stringify(answer.body ?? null).includes('support modelParams')
      ? { ...answer, body: { detail: [] } }
      : undefined,
};

/** Faults that change a response or have a side effect after it. */
const answers: Partial<Record<FaultId, (call: Call, answer: Answer) => Answer | undefined>> = {
  ...refused,
  'us-costs-fall-at-stop': atStop(({ meters }) => {
    const isUsed = meters.inputTokens > 0;
    meters.inputTokens = Math.floor(meters.inputTokens / 2);
    meters.browserMs = Math.floor(meters.browserMs / 2);
    return isUsed;
  }),
  'us-success-lost-at-stop': atStop((session) => {
    const wasSet = session.successful !== null;
    session.successful = null;
    return wasSet;
  }),
  'us-output-lost-at-stop': atStop((session) => {
    const wasSet = session.output !== null;
    session.output = null;
    return wasSet;
  }),
  'us-costs-zero-at-stop': atStop(({ meters }) => {
    const isUsed = meters.inputTokens > 0;
    Object.assign(meters, { inputTokens: 0, outputTokens: 0, proxyKilobytes: 0, browserMs: 0, extra: 0 });
    return isUsed;
  }),
  'us-recording-lost-at-stop': atStop((session) => session.recordingUrls.splice(0).length > 0),
  'us-stop-invents-output': atStop((session, before) => {
    if (before !== 'running') return false;
    Object.assign(session, { successful: true, output: 'The task was done.' });
    return true;
  }),
  'us-stop-stops-running': (call, answer) => {
    const others = [...call.project.sessions.values()].filter((one) => one.status === 'running' && one !== named(call));
    if (call.operation !== 'v3.stop' || answer.status !== 200 || others.length === 0) return undefined;
    for (const other of others) {
      other.work?.stop();
      Object.assign(other, { work: null, status: 'stopped' });
    }
    return { ...answer };
  },
  'us-params-fail-later': (call, answer) => {
    const isHit = call.operation === 'v4.create' && answer.status === 422 && isObject(bodyObject(call)['modelParams']);
    return isHit && JSON.stringify(answer.body).includes('support modelParams')
      ? { status: 200, body: { id: call.world.dialect.id(), status: 'queued' } }
      : undefined;
  },
};

/** Applies active faults to a response, and performs their side effects on sessions. */
export function concludeUnbiasedSessions(call: Call, given: Answer): Answer {
  const { faults } = call.world;
  let answer = given;
  for (const [id, conclude] of faults.entries(answers)) {
    const changed = conclude(call, answer);
    if (changed !== undefined && faults.has(id)) answer = changed;
  }
  if (!call.operation.startsWith('v3.') || !isObject(answer.body) || answer.status >= 300) return answer;
  const session = call.project.sessions.get(String(answer.body['id']));
  if (!session) return answer;
  const view = { ...answer.body };
  for (const [id, change] of faults.entries(views)) {
    const before = JSON.stringify(view);
    change({ view, session, call });
    if (JSON.stringify(view) !== before) faults.reached.add(id);
  }
  return { ...answer, body: view };
}
