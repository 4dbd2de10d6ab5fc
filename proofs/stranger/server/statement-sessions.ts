/** Faults in V3 sessions, each derived from one statement of the contract. */
import type { FaultId } from '../faults/index.ts';
import { type Answer, bodyObject, type Call } from './call.ts';
import { uuidPattern } from './checks.ts';
import { changeRows, followed, isLater, type Shown, withText } from './jobs-sessions.ts';
import { type ChangesRequest, count, createBegin, hasEnded, isFailed, type Refuses, remember } from './moments.ts';
import { isObject } from './outputs.ts';
import { countries, levels } from './tables.ts';
import { type Json, later, now, type Session } from './world.ts';

const isCreation = (call: Call): boolean => call.operation === 'v3.create' && followed(call) === undefined;
const isTaskless = (body: Json): boolean => typeof body['task'] !== 'string';

function named(call: Call): Session | undefined {
  return call.project.sessions.get((call.params['session_id'] ?? '').toLowerCase());
}

/**
 * Returns a V3 creation or follow-up with a changed member of its body; undefined for other requests, and if nothing
 * changes.
 */
function rewritten(call: Call, name: string, change: (value: unknown) => unknown): Call | undefined {
  const body = bodyObject(call);
  if (call.operation !== 'v3.create' || !(name in body)) return undefined;
  const value = change(body[name]);
  return value === body[name] ? undefined : { ...call, body: { ...body, [name]: value } };
}

/** Returns a function that replaces the value `given` by `meant` and keeps any other value. */
const readAs =
  (given: unknown, meant: unknown) =>
  (value: unknown): unknown =>
    value === given ? meant : value;
const single = (value: unknown): unknown => (Array.isArray(value) && value.length === 1 ? value[0] : value);
const numberAsFlag = (value: unknown): unknown => (value === 0 || value === 1 ? value === 1 : value);

/** Returns a predicate that is true for a V3 creation with this model and this level. */
function refusesLevel(model: string, level: string): (body: Json, call: Call) => boolean {
  return (body, call) => isCreation(call) && body['model'] === model && body['thinkingLevel'] === level;
}

const refusals: Refuses = {
  'st-gpt55-medium-refused': refusesLevel('gpt-5.5', 'medium'),
  'st-ultra-low-refused': refusesLevel('svc-ultra', 'low'),
  'st-old-pro-high-refused': refusesLevel('gemini-3-pro', 'high'),
  'st-gpt52-disabled-refused': refusesLevel('gpt-5.2', 'disabled'),
  'st-gpt5mini-high-refused': refusesLevel('gpt-5-mini', 'high'),
  'st-stop-wants-body': (_body, call) => call.operation === 'v3.stop' && call.body === undefined,
  'st-stop-empty-refused': (_body, call) =>
    call.operation === 'v3.stop' && isObject(call.body) && Object.keys(call.body).length === 0,
};

/** Faults that accept an invalid value in a V3 creation or follow-up. */
const lenient: ChangesRequest = {
  'st-model-v2-name': (call) => rewritten(call, 'model', readAs('claude-opus-4-7', 'claude-opus-4.7')),
  'st-model-prefixed': (call) =>
    rewritten(call, 'model', (value) => (typeof value === 'string' ? value.replace(/^\w+\//, '') : value)),
  'st-model-kimi': (call) => rewritten(call, 'model', readAs('kimi-k3', 'minimax-m3')),
  'st-model-fable': (call) => rewritten(call, 'model', readAs('claude-fable-5', 'claude-opus-4.8')),
  'st-model-list': (call) => rewritten(call, 'model', single),
  'st-level-max': (call) => rewritten(call, 'thinkingLevel', readAs('max', 'high')),
  'st-level-auto': (call) => rewritten(call, 'thinkingLevel', readAs('auto', null)),
  'st-level-true': (call) => rewritten(call, 'thinkingLevel', readAs(true, 'high')),
  'st-level-null-word': (call) => rewritten(call, 'thinkingLevel', readAs('null', null)),
  'st-country-list': (call) => rewritten(call, 'proxyCountryCode', single),
  'st-country-eu': (call) => rewritten(call, 'proxyCountryCode', readAs('eu', 'de')),
  'st-country-false': (call) => rewritten(call, 'proxyCountryCode', readAs(false, null)),
  'st-code-number': (call) => rewritten(call, 'codeMode', numberAsFlag),
  'st-recording-number': (call) => rewritten(call, 'enableRecording', numberAsFlag),
  'st-own-key-number': (call) => rewritten(call, 'useOwnKey', numberAsFlag),
  'st-own-key-null': (call) => rewritten(call, 'useOwnKey', readAs(null, true)),
  'st-own-key-without-level': (call) => {
    const { model, thinkingLevel } = bodyObject(call);
    const isUnchecked = isCreation(call) && model === 'gpt-5-mini' && thinkingLevel === undefined;
    return isUnchecked ? { ...call, body: { ...bodyObject(call), useOwnKey: true } } : undefined;
  },
  'st-schema-true': (call) => rewritten(call, 'outputSchema', readAs(true, null)),
  'st-ceiling-dot': (call) => rewritten(call, 'maxCostUsd', readAs('.', null)),
  'st-workspace-any': (call) =>
    rewritten(call, 'workspaceId', (value) => (typeof value === 'string' && uuidPattern.test(value) ? value : null)),
  'st-body-list': (call) =>
    call.operation === 'v3.create' && Array.isArray(call.body) && call.body.length === 1
      ? { ...call, body: call.body[0] as unknown }
      : undefined,
  'st-follow-up-members-unchecked': (call) => (followed(call) ? withoutWrongMembers(call) : undefined),
};

function withoutWrongMembers(call: Call): Call | undefined {
  const fits: Readonly<Record<string, (value: unknown) => boolean>> = {
    keepAlive: (value) => typeof value === 'boolean',
    codeMode: (value) => typeof value === 'boolean',
    enableRecording: (value) => typeof value === 'boolean',
    outputSchema: (value) => value === null || isObject(value),
    proxyCountryCode: (value) => value === null || (typeof value === 'string' && countries.has(value)),
  };
  const kept = Object.entries(bodyObject(call)).filter(([name, value]) => fits[name]?.(value) ?? true);
  return kept.length < Object.keys(bodyObject(call)).length ? { ...call, body: Object.fromEntries(kept) } : undefined;
}

/**
 * Returns a call of the given operation with a changed query; undefined for other operations, and if nothing changes.
 */
function requeried(call: Call, operation: string, change: (query: URLSearchParams) => void): Call | undefined {
  if (call.operation !== operation) return undefined;
  const query = new URLSearchParams(call.query);
  change(query);
  return String(query) === String(call.query) ? undefined : { ...call, query };
}

/** Creates a function that limits an integer query parameter to the range from `min` to `max`. */
const bounded =
  (name: string, min: number, max: number) =>
  (query: URLSearchParams): void => {
    const given = query.get(name);
    if (given !== null && /^-?\d+$/.test(given)) query.set(name, String(Math.min(max, Math.max(min, Number(given)))));
  };

/** Faults that change a request, answer it, or change a session before the request is handled. */
const requests: ChangesRequest = {
  ...lenient,
  'st-model-taskless-default': (call) => {
    const { model: _model, ...body } = bodyObject(call);
    return isCreation(call) && isTaskless(body) && _model !== undefined ? { ...call, body } : undefined;
  },
  'st-workspace-replaced': (call) =>
    isCreation(call) ? rewritten(call, 'workspaceId', (value) => value && call.world.dialect.id()) : undefined,
  'st-follow-up-first-task': (call) => {
    const task = followed(call)?.task;
    return typeof task === 'string' ? rewritten(call, 'task', () => task) : undefined;
  },
  'st-inactivity-from-creation': (call) => {
    const session = named(call);
    if (session?.status === 'idle' && now(call.world) - session.createdAt >= 900_000)
      session.activeAt = session.createdAt;
    return undefined;
  },
  'st-stop-session-word-ignored': (call) =>
    call.operation === 'v3.stop' && bodyObject(call)['strategy'] === 'session'
      ? { ...call, body: { strategy: 'task' } }
      : undefined,
  'st-stop-any-strategy': (call) => {
    const { strategy } = bodyObject(call);
    const isOther = strategy !== undefined && strategy !== 'task' && strategy !== 'session';
    return call.operation === 'v3.stop' && isOther ? { ...call, body: {} } : undefined;
  },
  'st-stop-task-blocks': (call) => {
    const session = followed(call);
    const isBlocked = session?.status === 'idle' && remember(session)['task stopped'] === true;
    return isBlocked ? { status: 409, body: { detail: 'The session takes no task' } } : undefined;
  },
  'st-messages-limit-any': (call) => requeried(call, 'v3.messages', bounded('limit', 1, 100)),
  'st-messages-limit-ignored': (call) => requeried(call, 'v3.messages', (query) => query.delete('limit')),
  'st-list-page-zero': (call) => requeried(call, 'v3.list', bounded('page', 1, Infinity)),
  'st-list-size-101': (call) => requeried(call, 'v3.list', bounded('page_size', 1, 100)),
  'st-list-size-20': (call) =>
    Number(call.query.get('page_size')) <= 100
      ? requeried(call, 'v3.list', bounded('page_size', -Infinity, 20))
      : undefined,
  'st-follow-up-unknown-creates': (call) => {
    const { sessionId, ...body } = bodyObject(call);
    const isUnknown = typeof sessionId === 'string' && uuidPattern.test(sessionId) && !followed(call);
    return call.operation === 'v3.create' && isUnknown ? { ...call, body } : undefined;
  },
  'st-deleted-takes-follow-up': (call) => {
    const kept = remember(call.project)[`deleted ${String(bodyObject(call)['sessionId'])}`];
    return call.operation === 'v3.create' && kept !== undefined ? { status: 200, body: kept } : undefined;
  },
  'st-deleted-messages': (call) => {
    const kept = remember(call.project)[`deleted ${call.params['session_id'] ?? ''}`];
    return call.operation === 'v3.messages' && kept !== undefined
      ? { status: 200, body: { messages: [], hasMore: false } }
      : undefined;
  },
};

const begin = createBegin(refusals, requests);

/**
 * Stores the state of a session that active faults use later, and applies active faults to a request. Returns the
 * request, possibly changed, or a response of a fault. Throws a `Refusal` if a fault refuses the request.
 */
export function beginSessionStatements(call: Call): Call | Answer {
  noteSession(call);
  return begin(call);
}

const atRest = (session: Session): boolean => session.tasks > 0 && session.status !== 'running';

/** Faults in the record of a session in a response. */
const views: Partial<Record<FaultId, (shown: Shown) => void>> = {
  'st-timed-out-without-updated': ({ view, session }) => {
    if (session.status === 'timed_out') delete view['updatedAt'];
  },
  'st-title-whole': ({ view, session }) => {
    if (view['title'] !== null) view['title'] = session.task;
  },
  'st-title-null-with-schema': ({ view, session }) => {
    if (session.outputSchema) view['title'] = null;
  },
  'st-schema-null-taskless': ({ view, session }) => {
    if (session.tasks === 0) view['outputSchema'] = null;
  },
  'st-steps-null-at-start': ({ view, session }) => {
    if (session.stepCount === 0) view['stepCount'] = null;
  },
  'st-tokens-null-at-start': ({ view, session }) => {
    if (session.stepCount === 0) view['totalInputTokens'] = null;
  },
  'st-cost-blank': ({ view }) => void (view['totalCostUsd'] = ` ${String(view['totalCostUsd'])}`),
  'st-proxy-exponent': ({ view }) => {
    if (Number(view['proxyUsedMb']) > 0) view['proxyUsedMb'] = Number(view['proxyUsedMb']).toExponential();
  },
  'st-ceiling-unit': ({ view }) => {
    if (typeof view['maxCostUsd'] === 'string') view['maxCostUsd'] = `${view['maxCostUsd']} USD`;
  },
  'st-ceiling-null-at-end': ({ view, session }) => {
    if (atRest(session)) view['maxCostUsd'] = null;
  },
  'st-live-no-frames-working': ({ view, session }) => {
    if (session.status === 'running') view['liveUrl'] = `${String(view['liveUrl'])}?frames=no`;
  },
  'st-live-renewed': ({ view, session, call }) => {
    const kept = remember(call.world);
    kept[`live ${session.id}`] = count(session, 'live');
    view['liveUrl'] = `${String(view['liveUrl'])}?n=${String(kept[`live ${session.id}`])}`;
  },
  'st-live-relative': ({ view }) => void (view['liveUrl'] = new URL(String(view['liveUrl'])).pathname),
  'st-recording-taskless': ({ view, session, call }) => {
    const isShown = session.tasks === 0 && session.recording && hasEnded(session);
    if (isShown) view['recordingUrls'] = [`${call.world.url}/media/${session.id}/recording.webm`];
  },
  'st-recording-wants-key': ({ view, session, call }) => {
    if (session.recordingUrls.length > 0) view['recordingUrls'] = [`${call.world.url}/media/${session.id}/keyed.png`];
  },
  'st-recording-relative': ({ view, session }) => {
    view['recordingUrls'] = session.recordingUrls.map((url) => new URL(url).pathname);
  },
  'st-recording-lost-given-up': ({ view, session }) => {
    if (isFailed(session)) view['recordingUrls'] = [];
  },
  'st-profile-null-in-get': ({ view, call }) => {
    if (call.operation === 'v3.get') view['profileId'] = null;
  },
  'st-profile-null-later': (shown) => {
    if (isLater(shown)) shown.view['profileId'] = null;
  },
  'st-country-null-at-stop': ({ view, session }) => {
    if (session.status === 'stopped') view['proxyCountryCode'] = null;
  },
  'st-schema-of-first-shown': ({ view, session }) => {
    const kept = remember(session);
    if (session.outputSchema) kept['first schema'] ??= session.outputSchema;
    if (session.outputSchema) view['outputSchema'] = kept['first schema'];
  },
  'st-scalar-as-text': ({ view, session }) => {
    const { output } = session;
    if (session.outputSchema && output !== null && typeof output !== 'object')
      view['output'] = JSON.stringify(JSON.stringify(output));
  },
  'st-number-as-text': ({ view, session }) => {
    if (session.outputSchema && typeof session.output === 'number') view['output'] = String(session.output);
  },
  'st-array-wrapped': ({ view, session }) => {
    if (session.outputSchema && Array.isArray(session.output)) view['output'] = { items: session.output };
  },
  'st-steps-fall-at-end': ({ view, session }) => {
    if (atRest(session)) view['stepCount'] = Math.max(0, session.stepCount - 1);
  },
  'st-updated-not-with-steps': ({ view, session }) => {
    const kept = remember(session);
    if (session.status === 'running') view['updatedAt'] = kept[`begun ${session.tasks}`] ??= view['updatedAt'];
  },
  'st-updated-whole-seconds': ({ view, session, call }) =>
    void (view['updatedAt'] = call.world.dialect.time(Math.floor(session.updatedAt / 1000) * 1000)),
  'st-costs-zero-given-up': ({ view, session }) => {
    if (!isFailed(session)) return;
    for (const name of ['llmCostUsd', 'proxyCostUsd', 'browserCostUsd', 'totalCostUsd']) view[name] = '0';
  },
  'st-level-null-in-stop-answer': ({ view, call }) => {
    if (call.operation === 'v3.stop') view['thinkingLevel'] = null;
  },
  'st-stop-answers-before': ({ view, session, call }) => {
    const before = remember(session)['status before stop'];
    if (call.operation === 'v3.stop' && typeof before === 'string') view['status'] = before;
  },
};

/**
 * Creates a function that changes the rows in the list of sessions. The function returns undefined for other responses,
 * and if nothing changes.
 */
function inList(change: (rows: Json[], call: Call) => Json[]): (call: Call, answer: Answer) => Answer | undefined {
  return (call, answer) =>
    changeRows(call, answer, { operation: 'v3.list', member: 'sessions', change: (rows) => change(rows, call) });
}

/**
 * Creates a function that changes the rows in the list of messages. The function returns undefined for other responses,
 * and if nothing changes.
 */
function inMessages(change: (rows: Json[], call: Call) => Json[]): (call: Call, answer: Answer) => Answer | undefined {
  return (call, answer) =>
    changeRows(call, answer, { operation: 'v3.messages', member: 'messages', change: (rows) => change(rows, call) });
}

/**
 * Creates a function that changes the JSON text of the body of a V3 creation refused with 422. The function returns
 * undefined for other responses, and if nothing changes.
 */
function inRefusal(change: (text: string) => string): (call: Call, answer: Answer) => Answer | undefined {
  return (call, answer) =>
    call.operation === 'v3.create' && answer.status === 422 ? withText(answer, change) : undefined;
}

/** Faults that change a response or have a side effect after it. */
const answers: Partial<Record<FaultId, (call: Call, answer: Answer) => Answer | undefined>> = {
  'st-msg-single-quotes-mini': inRefusal((text) =>
    text.includes('gpt-5-mini') ? text.replace(/thinking_level=\\"(\w+)\\"/, "thinking_level='$1'") : text,
  ),
  'st-msg-v3-and': inRefusal((text) => text.replace(/(values: [^"]*), (\w+")/, '$1 and $2')),
  'st-msg-glm-all': inRefusal((text) =>
    text.includes('glm-5.2') ? text.replace(/values: [^"]*"/, `values: ${levels.join(', ')}"`) : text,
  ),
  'st-msg-repeats': inRefusal((text) => text.replace(/values: (\w+),/, 'values: $1, $1,')),
  'st-second-stop-lean': (call, answer) => {
    const session = named(call);
    if (call.operation !== 'v3.stop' || answer.status !== 200 || !session) return undefined;
    return count(session, 'stops') > 1
      ? { ...answer, body: { id: session.id, status: session.status, model: session.model } }
      : undefined;
  },
  'st-stop-undone': (call, answer) => {
    const session = named(call);
    const isCut = call.operation === 'v3.stop' && session?.status === 'stopped' && session.title !== null;
    if (!isCut || answer.status !== 200 || session.output !== null) return undefined;
    later(call.world, 150, () => void (session.status = 'idle'));
    return { ...answer };
  },
  'st-stop-204': (call, answer) =>
    call.operation === 'v3.stop' && answer.status === 200 ? { status: 204 } : undefined,
  'st-stop-task-blocks': (call) => {
    const session = named(call);
    if (call.operation === 'v3.stop' && session?.status === 'idle') remember(session)['task stopped'] = true;
    return undefined;
  },
  'st-messages-of-others': inMessages((rows, call) => {
    const other = [...call.project.sessions.values()].find(({ id }) => id !== call.params['session_id']);
    return call.query.has('after') ? rows : [...rows, ...(other?.messages ?? []).slice(0, 1)];
  }),
  'st-messages-hidden-null': inMessages((rows) => rows.map((row) => ({ ...row, hidden: null }))),
  'st-messages-created-moves': inMessages((rows, call) =>
    rows.map((row) => ({ ...row, createdAt: call.world.dialect.time(now(call.world)) })),
  ),
  'st-messages-data-object': inMessages((rows) => rows.map((row) => ({ ...row, data: { text: row['data'] } }))),
  'st-list-beyond-repeats': inList((rows, call) => {
    const size = Number(call.query.get('page_size') ?? 20);
    const all = [...call.project.sessions.values()].slice(0, size);
    const shown = all.map(({ id, status, model, createdAt, updatedAt }) => {
      const { time } = call.world.dialect;
      return { id, status, model, createdAt: time(createdAt), updatedAt: time(updatedAt) };
    });
    return rows.length === 0 ? shown : rows;
  }),
  'st-list-shows-shots': inList((rows, call) =>
    rows.map((row) => ({ ...row, screenshotUrl: `${call.world.url}/media/${String(row['id'])}/shot.png` })),
  ),
  'st-list-shows-recordings': inList((rows, call) =>
    rows.map((row) => ({ ...row, recordingUrls: call.project.sessions.get(String(row['id']))?.recordingUrls ?? [] })),
  ),
  'st-list-hides-stopped': inList((rows) => rows.filter((row) => row['status'] !== 'stopped')),
  'st-list-shows-deleted': inList((rows, call) => {
    const deleted = remember(call.project)['deleted latest'];
    return isObject(deleted) && Number(call.query.get('page') ?? 1) === 1 ? [deleted, ...rows] : rows;
  }),
  'st-list-lacks-model': inList((rows) => rows.map(({ model: _model, ...row }) => row)),
  'st-list-size-echo-20': (call, answer) =>
    call.operation === 'v3.list' && isObject(answer.body) && answer.body['pageSize'] !== 20
      ? { ...answer, body: { ...answer.body, pageSize: 20 } }
      : undefined,
  'st-delete-200': (call, answer) =>
    call.operation === 'v3.delete' && answer.status === 204 ? { status: 200, body: {} } : undefined,
};

/**
 * Stores the status of a session before its stop, and its record before its deletion, for faults that show them later.
 */
function noteSession(call: Call): void {
  const session = named(call);
  if (!session) return;
  if (call.operation === 'v3.stop') remember(session)['status before stop'] = session.status;
  if (call.operation !== 'v3.delete') return;
  const { time } = call.world.dialect;
  const view = {
    id: session.id,
    status: 'stopped',
    model: session.model,
    createdAt: time(session.createdAt),
    updatedAt: time(session.updatedAt),
  };
  Object.assign(remember(call.project), { [`deleted ${session.id}`]: view, 'deleted latest': view });
}

/** Applies active faults to the response of a V3 operation, and performs their side effects. */
export function concludeSessionStatements(call: Call, given: Answer): Answer {
  if (!call.operation.startsWith('v3.')) return given;
  const { faults } = call.world;
  let answer = given;
  for (const [id, conclude] of faults.entries(answers)) {
    const changed = conclude(call, answer);
    if (changed !== undefined && faults.has(id)) answer = changed;
  }
  const session = isObject(answer.body) ? call.project.sessions.get(String(answer.body['id'])) : undefined;
  if (!session || !isObject(answer.body) || answer.status >= 300) return answer;
  const view = { ...answer.body };
  for (const [id, change] of faults.entries(views)) {
    const before = JSON.stringify(view);
    change({ view, session, call });
    if (JSON.stringify(view) !== before) faults.reached.add(id);
  }
  return { ...answer, body: view };
}
