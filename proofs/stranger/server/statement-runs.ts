/** Faults in V4 runs, sessions, queues and events, each derived from one statement of the requirements. */
import type { FaultId } from '../faults/index.ts';
import { type Answer, bodyObject, type Call, objectIn } from './call.ts';
import { uuidPattern } from './checks.ts';
import { changeRows, withText } from './jobs-sessions.ts';
import { type ChangesRequest, count, createBegin, type Refuses, remember } from './moments.ts';
import { isObject } from './outputs.ts';
import { v4Controls } from './tables.ts';
import { cancel, isOpen } from './v4-life.ts';
import { runView } from './v4-view.ts';
import { type Conversation, type Json, now, type Run } from './world.ts';

const claudePattern = /^claude-(opus|sonnet)/;

function runIn(call: Call): Run | undefined {
  return call.project.runs.get((call.params['run_id'] ?? '').toLowerCase());
}

function sessionIn(call: Call): Conversation | undefined {
  return call.project.conversations.get((call.params['session_id'] ?? '').toLowerCase());
}

function messageIn(call: Call): Json | undefined {
  return sessionIn(call)?.queue.find((message) => String(message['id']) === call.params['message_id']);
}

/** Returns a value of `modelParams` by its path with dots. */
function paramAt(body: Json, path: string): unknown {
  return path.split('.').reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), body['modelParams']);
}

const effortIn = (body: Json): unknown => paramAt(body, 'reasoning.effort') ?? paramAt(body, 'output_config.effort');

/** Creates a function that changes the body of a V4 creation. If `change` returns undefined, nothing changes. */
function changes(change: (body: Json) => Json | undefined): (call: Call) => Call | undefined {
  return (call) => {
    const body = call.operation === 'v4.create' ? change(bodyObject(call)) : undefined;
    return body === undefined ? undefined : { ...call, body };
  };
}

/**
 * Creates a function that removes a `modelParams` object with members from a V4 creation for which `test` returns true.
 */
const unchecked = (test: (body: Json) => boolean): ((call: Call) => Call | undefined) =>
  changes((body) => {
    const { modelParams, ...rest } = body;
    return isObject(modelParams) && Object.keys(modelParams).length > 0 && test(body) ? rest : undefined;
  });

/** Creates a function that removes a member of a V4 creation whose value `test` accepts. */
const dropped = (name: string, test: (value: unknown) => boolean): ((call: Call) => Call | undefined) =>
  changes((body) =>
    name in body && test(body[name])
      ? Object.fromEntries(Object.entries(body).filter(([member]) => member !== name))
      : undefined,
  );

/**
 * Creates a function that replaces the model of a V4 creation by the result of `fits`. If `fits` returns undefined,
 * nothing changes.
 */
const model = (fits: (name: string) => string | undefined): ((call: Call) => Call | undefined) =>
  changes((body) => {
    const read = typeof body['model'] === 'string' ? fits(body['model']) : undefined;
    return read === undefined || read === body['model'] ? undefined : { ...body, model: read };
  });

/**
 * Creates a function that changes `browserSettings` of a V4 creation. If `change` returns undefined, nothing changes.
 */
const settings = (change: (given: Json) => Json | undefined): ((call: Call) => Call | undefined) =>
  changes((body) => {
    const given = objectIn(body, 'browserSettings');
    const changed = given === null ? undefined : change(given);
    return changed === undefined ? undefined : { ...body, browserSettings: changed };
  });

const isListOver =
  (max: number) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.length > max;

const refusesValue =
  (models: readonly string[], path: string, value: string) =>
  (body: Json, { operation }: Call): boolean =>
    operation === 'v4.create' && models.includes(String(body['model'])) && paramAt(body, path) === value;

const refusals: Refuses = {
  'st-gpt56-low-refused': refusesValue(['gpt-5.6'], 'reasoning.effort', 'low'),
  'st-opus47-summarized-refused': refusesValue(['claude-opus-4.7'], 'thinking.display', 'summarized'),
  'st-gemini35-low-refused': refusesValue(['gemini-3.5-flash'], 'thinkingConfig.thinkingLevel', 'low'),
  'st-sonnet5-max-refused': refusesValue(['claude-sonnet-5'], 'output_config.effort', 'max'),
  'st-grok-unknown': (body, { operation }) => operation === 'v4.create' && body['model'] === 'grok-4.5',
  'st-gpt56-unknown': (body, { operation }) => operation === 'v4.create' && body['model'] === 'gpt-5.6',
  'st-conv-title-null-refused': (body, { operation }) => operation === 'v4.patchSession' && body['title'] === null,
};

/** Faults that skip the validation of `modelParams` for some values or some requests. */
const params: ChangesRequest = {
  'st-mp-array': unchecked((body) => Array.isArray(effortIn(body))),
  'st-mp-object': unchecked((body) => isObject(effortIn(body))),
  'st-mp-true': unchecked((body) => effortIn(body) === true),
  'st-mp-padded': unchecked((body) => {
    const value = effortIn(body);
    return typeof value === 'string' && value !== value.trim();
  }),
  'st-mp-gpt55-minimal': unchecked((body) => body['model'] === 'gpt-5.5' && effortIn(body) === 'minimal'),
  'st-mp-luna-minimal': unchecked((body) => body['model'] === 'gpt-5.6-luna' && effortIn(body) === 'minimal'),
  'st-mp-opus48-minimal': unchecked((body) => body['model'] === 'claude-opus-4.8' && effortIn(body) === 'minimal'),
  'st-mp-flash-none': unchecked(
    (body) => String(body['model']).endsWith('flash') && paramAt(body, 'thinkingConfig.thinkingLevel') === 'none',
  ),
  'st-mp-type-auto': unchecked(
    (body) => claudePattern.test(String(body['model'])) && paramAt(body, 'thinking.type') === 'auto',
  ),
  'st-mp-with-inbox-unchecked': unchecked((body) => body['inbox'] === true),
  'st-mp-with-secrets-unchecked': unchecked((body) => Array.isArray(body['secretBindings'])),
  'st-mp-with-workspace-unchecked': unchecked((body) => typeof body['workspaceId'] === 'string'),
};

/** Faults that accept invalid values in a V4 creation: they remove or correct the value. */
const lenient: ChangesRequest = {
  'st-v4-model-case': model((name) => name.toLowerCase()),
  'st-v4-model-alias': model((name) => (name === 'svc-max' ? 'claude-sonnet-5' : undefined)),
  'st-v4-model-empty': dropped('model', (value) => value === ''),
  'st-v4-settings-unknown': settings((given) => {
    const known = ['profileId', 'proxyCountryCode', 'customProxy', 'screenWidth', 'screenHeight', 'record'];
    const kept = Object.entries(given).filter(([name]) => known.includes(name));
    return kept.length === Object.keys(given).length ? undefined : Object.fromEntries(kept);
  }),
  'st-v4-settings-country-upper': settings((given) => {
    const code = String(given['proxyCountryCode']);
    return /^[A-Z]{2}$/.test(code) ? { ...given, proxyCountryCode: code.toLowerCase() } : undefined;
  }),
  'st-v4-settings-country-gb': settings((given) =>
    given['proxyCountryCode'] === 'gb' ? { ...given, proxyCountryCode: 'uk' } : undefined,
  ),
  'st-v4-width-any': settings(({ screenWidth, ...given }) =>
    typeof screenWidth === 'number' && (screenWidth < 320 || screenWidth > 6144) ? given : undefined,
  ),
  'st-v4-attached-21': dropped('attachedFileIds', isListOver(20)),
  'st-v4-attached-any': dropped(
    'attachedFileIds',
    (value) => Array.isArray(value) && value.some((id) => typeof id === 'string' && !uuidPattern.test(id)),
  ),
  'st-v4-secrets-eleven': dropped('secretBindings', isListOver(10)),
  'st-v4-secrets-no-domains': dropped(
    'secretBindings',
    (value) =>
      Array.isArray(value) &&
      value.some(
        (one: unknown) => isObject(one) && Array.isArray(one['allowedDomains']) && one['allowedDomains'].length === 0,
      ),
  ),
  'st-v4-judge-text': dropped('judge', (value) => typeof value === 'string'),
  'st-v4-ceiling-negative': dropped('maxCostUsd', (value) => Number(value) < 0),
  'st-v4-inbox-text': dropped('inbox', (value) => typeof value === 'string'),
};

/**
 * Faults that change a request or respond in place of its handler. Some also cancel a run or change queued messages.
 */
const requests: ChangesRequest = {
  ...params,
  ...lenient,
  'st-v4-session-unknown-opens': (call) => {
    const { sessionId, ...body } = bodyObject(call);
    const isUnknown =
      typeof sessionId === 'string' && uuidPattern.test(sessionId) && !call.project.conversations.has(sessionId);
    return call.operation === 'v4.create' && isUnknown ? { ...call, body } : undefined;
  },
  'st-v4-workspace-unknown-makes': (call) => {
    const { workspaceId, ...body } = bodyObject(call);
    const isUnknown =
      typeof workspaceId === 'string' && uuidPattern.test(workspaceId) && !call.project.workspaces.has(workspaceId);
    return call.operation === 'v4.create' && isUnknown ? { ...call, body } : undefined;
  },
  'st-cursor-any': (call) => {
    const isList = call.operation === 'v4.list' || call.operation === 'v4.listSessions';
    const cursor = call.query.get('cursor');
    if (!isList || cursor === null || /^c\d+$/.test(cursor)) return undefined;
    const query = new URLSearchParams(call.query);
    query.delete('cursor');
    return { ...call, query };
  },
  'st-conv-limit-101': (call) => {
    if (call.operation !== 'v4.listSessions' || Number(call.query.get('limit')) <= 100) return undefined;
    const query = new URLSearchParams(call.query);
    query.set('limit', '100');
    return { ...call, query };
  },
  'st-runs-limit-ignored': (call) => {
    if (call.operation !== 'v4.list' || !call.query.has('limit')) return undefined;
    const query = new URLSearchParams(call.query);
    query.delete('limit');
    return { ...call, query };
  },
  'st-cancel-blocks-session': (call) => {
    const session = call.project.conversations.get(String(bodyObject(call)['sessionId']));
    const latest = call.project.runs.get(session?.runIds.at(-1) ?? '');
    return call.operation === 'v4.create' && latest?.status === 'cancelled'
      ? { status: 409, body: { detail: 'Session has an active run' } }
      : undefined;
  },
  'st-cancel-queued-ignored': (call) => {
    const run = runIn(call);
    return call.operation === 'v4.cancel' && run?.status === 'queued'
      ? { status: 200, body: runView(call, run) }
      : undefined;
  },
  'st-cancel-second-409': (call) => {
    const run = runIn(call);
    return call.operation === 'v4.cancel' && run && !isOpen(run)
      ? { status: 409, body: { detail: 'The run has ended' } }
      : undefined;
  },
  'st-events-unknown-empty': (call) =>
    call.operation === 'v4.events' && uuidPattern.test(call.params['run_id'] ?? '') && !runIn(call)
      ? { status: 200, body: { events: [], nextAfter: 0, hasMore: false } }
      : undefined,
  'st-conv-title-256': (call) => {
    const title = String(bodyObject(call)['title']);
    return call.operation === 'v4.patchSession' && title.length > 255
      ? { ...call, body: { title: title.slice(0, 255) } }
      : undefined;
  },
  'st-conv-second-delete-404': (call) =>
    call.operation === 'v4.deleteSession' && uuidPattern.test(call.params['session_id'] ?? '') && !sessionIn(call)
      ? { status: 404, body: { detail: 'Session not found' } }
      : undefined,
  'st-conv-deleted-takes-run': (call) => {
    const { sessionId, ...body } = bodyObject(call);
    const wasDeleted = remember(call.project)[`deleted ${String(sessionId)}`] !== undefined;
    return call.operation === 'v4.create' && wasDeleted ? { ...call, body } : undefined;
  },
  'st-queue-no-capacity': (call) => {
    const pending = sessionIn(call)?.queue.filter((message) => message['status'] === 'pending') ?? [];
    if (call.operation !== 'v4.queue' || pending.length < 10) return undefined;
    const next = { ...pending[0], id: count(call.project, 'over capacity') + 100_000, text: bodyObject(call)['text'] };
    return { status: 200, body: next };
  },
  'st-queue-text-empty': (call) =>
    call.operation === 'v4.queue' && bodyObject(call)['text'] === ''
      ? { ...call, body: { ...bodyObject(call), text: ' ' } }
      : undefined,
  'st-queue-unknown-member': (call) => {
    const { text, interrupt, attachedFileIds, ...rest } = bodyObject(call);
    if (call.operation !== 'v4.queue' || Object.keys(rest).length === 0 || text === undefined) return undefined;
    const isSet = ([, value]: [string, unknown]): boolean => value !== undefined;
    return { ...call, body: Object.fromEntries(Object.entries({ text, interrupt, attachedFileIds }).filter(isSet)) };
  },
  'st-queue-consumed-404': (call) =>
    call.operation === 'v4.getMessage' && messageIn(call)?.['status'] === 'consumed'
      ? { status: 404, body: { detail: 'Message not found' } }
      : undefined,
  'st-queue-delete-consumed-200': (call) => {
    const message = messageIn(call);
    return call.operation === 'v4.deleteMessage' && message && message['status'] !== 'pending'
      ? { status: 200, body: { ...message } }
      : undefined;
  },
  'st-queue-deleted-runs': (call) => {
    const message = messageIn(call);
    return call.operation === 'v4.deleteMessage' && message?.['status'] === 'pending'
      ? { status: 200, body: { ...message, status: 'cancelled' } }
      : undefined;
  },
  'st-queue-lost-after-cancel': (call) => loseQueue(call, runIn(call)?.sessionId, call.operation === 'v4.cancel'),
  'st-queue-interrupt-lost': (call) => {
    const session = sessionIn(call);
    const active = session?.runIds.map((id) => call.project.runs.get(id)).find((run) => isOpen(run));
    if (call.operation !== 'v4.queue' || bodyObject(call)['interrupt'] !== true || !session || !active)
      return undefined;
    cancel(call.world, active);
    const id = count(call.project, 'lost messages') + 200_000;
    const createdAt = call.world.dialect.time(now(call.world));
    const message: Json = { id, sessionId: session.id, runId: null, status: 'pending', createdAt, mode: 'interrupt' };
    return { status: 200, body: { ...message, text: bodyObject(call)['text'], attachedFileIds: null } };
  },
};

function loseQueue(call: Call, sessionId: string | undefined, isConcerned: boolean): undefined {
  const pending = call.project.conversations.get(sessionId ?? '')?.queue ?? [];
  if (!isConcerned || !pending.some((message) => message['status'] === 'pending')) return;
  call.world.faults.has('st-queue-lost-after-cancel');
  for (const message of pending) if (message['status'] === 'pending') message['status'] = 'superseded';
}

const begin = createBegin(refusals, requests);

/**
 * Stores state that active faults use later, and applies active faults to a request. Returns the request, possibly
 * changed, or a response of a fault. Throws a `Refusal` if a fault refuses the request.
 */
export function beginRunStatements(call: Call): Call | Answer {
  const run = runIn(call);
  if (run && call.operation === 'v4.cancel') remember(run)['status before cancel'] = run.status;
  const session = sessionIn(call);
  if (session && call.operation === 'v4.deleteSession') {
    const { time } = call.world.dialect;
    const latest = call.project.runs.get(session.runIds.at(-1) ?? '');
    const view = {
      sessionId: session.id,
      workspaceId: session.workspaceId,
      latestRunId: latest?.id,
      task: latest?.task ?? '',
      title: session.title,
      status: 'cancelled',
      createdAt: time(session.createdAt),
      updatedAt: time(latest?.updatedAt ?? session.createdAt),
    };
    Object.assign(remember(call.project), { [`deleted ${session.id}`]: view, 'deleted session': view });
  }
  return begin(call);
}

interface Shown {
  readonly view: Json;
  readonly run: Run;
  readonly call: Call;
}

/** Faults in the record of a run in a response. */
const views: Partial<Record<FaultId, (shown: Shown) => void>> = {
  'st-result-late': ({ view, run, call }) => {
    if (call.operation === 'v4.getRun' && run.status === 'completed' && count(run, 'looks at the end') === 1)
      view['result'] = null;
  },
  'st-result-lost-at-follow-up': ({ view, run, call }) => {
    const latest = call.project.conversations.get(run.sessionId)?.runIds.at(-1);
    if ('result' in view && latest !== undefined && latest !== run.id) view['result'] = null;
  },
  'st-run-gpt56-is-sol': ({ view, run }) => {
    if ('model' in view && run.model === 'gpt-5.6') view['model'] = 'gpt-5.6-sol';
  },
  'st-cancelled-has-result': ({ view, run }) => {
    if ('result' in view && run.status === 'cancelled') view['result'] = 'Not finished.';
  },
  'st-run-tokens-zero': ({ view }) => {
    if ('totalInputTokens' in view) Object.assign(view, { totalInputTokens: 0, totalOutputTokens: 0 });
  },
  'st-run-workspace-null': ({ view }) => {
    if ('workspaceId' in view) view['workspaceId'] = null;
  },
  'st-run-context-text': ({ view }) => {
    if ('contextLimit' in view) view['contextLimit'] = `${String(view['contextLimit'])} tokens`;
  },
  'st-run-follow-up-workspace': ({ view, run, call }) => {
    const first = call.project.conversations.get(run.sessionId)?.runIds[0];
    if ('workspaceId' in view && first !== run.id)
      view['workspaceId'] = remember(run)['workspace'] ??= call.world.dialect.id();
  },
  'st-cancelled-is-failed': ({ view, run }) => {
    if (run.status === 'cancelled') view['status'] = 'failed';
  },
  'st-cancel-answers-before': ({ view, run, call }) => {
    const before = remember(run)['status before cancel'];
    if (call.operation === 'v4.cancel' && typeof before === 'string') view['status'] = before;
  },
};

interface EventList {
  readonly events: Json[];
  readonly run: Run;
  readonly call: Call;
}

const isEnd = (event: Json): boolean => /^run\.(completed|failed|cancelled)$/.test(String(event['type']));

/** Faults of the list of events. */
const eventsByFault: Partial<Record<FaultId, (list: EventList) => Json[]>> = {
  'st-events-data-changes': ({ events, run }) => {
    const look = count(run, 'looks at events');
    return events.map((event) => (event['type'] === 'tool.called' ? { ...event, data: { look } } : event));
  },
  'st-events-cancelled-completed': ({ events }) =>
    events.map((event) => (event['type'] === 'run.cancelled' ? { ...event, type: 'run.completed' } : event)),
  'st-events-id-text': ({ events }) => events.map((event) => ({ ...event, id: String(event['id']) })),
  'st-events-ts-number': ({ events }) => events.map((event) => ({ ...event, ts: Date.parse(String(event['ts'])) })),
  'st-events-data-null': ({ events }) => events.map((event) => ({ ...event, data: null })),
  'st-events-run-id-missing': ({ events }) => events.map(({ runId: _runId, ...event }) => event),
  'st-events-end-twice': ({ events }) => {
    const end = events.find((event) => isEnd(event));
    return end ? [...events, { ...end, id: Number(end['id']) + 1 }] : events;
  },
  'st-events-after-end': ({ events }) => {
    const end = events.find((event) => isEnd(event));
    return end ? [...events, { ...end, id: Number(end['id']) + 1, type: 'tool.called' }] : events;
  },
  'st-events-live-lost': ({ events, call }) =>
    events.map((event) =>
      event['type'] === 'browser.ready' ? { ...event, data: { live_view_url: `${call.world.url}/gone` } } : event,
    ),
};

/**
 * Creates a function that changes the rows of the list `member` in responses of an operation. The function returns
 * undefined for other responses, and if nothing changes.
 */
function rows(
  operation: string,
  member: string,
  change: (list: Json[], call: Call) => Json[],
): (call: Call, answer: Answer) => Answer | undefined {
  return (call, answer) => changeRows(call, answer, { operation, member, change: (list) => change(list, call) });
}

/**
 * Creates a function that changes the JSON text of the body of a V4 creation refused with 422. The function returns
 * undefined for other responses, and if nothing changes.
 */
function inRefusal(change: (text: string) => string): (call: Call, answer: Answer) => Answer | undefined {
  return (call, answer) =>
    call.operation === 'v4.create' && answer.status === 422 ? withText(answer, change) : undefined;
}

/**
 * Creates a function that changes members in the body of a successful response of an operation. The function returns
 * undefined for other responses, and if nothing changes.
 */
function sets(
  operation: string,
  members: (body: Json, call: Call) => Json,
): (call: Call, answer: Answer) => Answer | undefined {
  return (call, answer) => {
    if (call.operation !== operation || answer.status >= 300 || !isObject(answer.body)) return undefined;
    const body = { ...answer.body, ...members(answer.body, call) };
    return JSON.stringify(body) === JSON.stringify(answer.body) ? undefined : { ...answer, body };
  };
}

const queued = ['v4.queue', 'v4.getMessage', 'v4.deleteMessage'];

/**
 * Creates a function that changes members of queued messages, in single responses and in lists. The function returns
 * undefined for other responses, and if nothing changes.
 */
function setsMessage(members: (message: Json) => Json): (call: Call, answer: Answer) => Answer | undefined {
  return (call, answer) => {
    const operation = queued.includes(call.operation) ? call.operation : '';
    const inList = rows('v4.listQueue', 'queue', (list) => list.map((row) => ({ ...row, ...members(row) })));
    return inList(call, answer) ?? sets(operation, members)(call, answer);
  };
}

/** Faults that change a response or have a side effect after it. */
const answers: Partial<Record<FaultId, (call: Call, answer: Answer) => Answer | undefined>> = {
  'st-mp-none-models-400': (call, answer) => {
    const controls = v4Controls.get(String(bodyObject(call)['model'])) ?? {};
    const isNone = call.operation === 'v4.create' && isObject(bodyObject(call)['modelParams']);
    return isNone && answer.status === 422 && Object.keys(controls).length === 0
      ? { ...answer, status: 400 }
      : undefined;
  },
  'st-mp-text-no-prefix': inRefusal((text) => text.replace('modelParams.', '')),
  'st-mp-text-model-upper': inRefusal((text) =>
    text.replace(/Model \\"([^"\\]+)\\" does/, (_all, name: string) => `Model \\"${name.toUpperCase()}\\" does`),
  ),
  'st-mp-text-and': inRefusal((text) => text.replace(/(values: [^"]*), (\w+")/, '$1 and $2')),
  'st-cancel-204': (call, answer) =>
    call.operation === 'v4.cancel' && answer.status === 200 ? { status: 204 } : undefined,
  'st-cancel-others': (call, answer) => {
    if (call.operation !== 'v4.cancel' || answer.status !== 200) return undefined;
    const others = [...call.project.runs.values()].filter(
      (run) => isOpen(run) && run.sessionId !== runIn(call)?.sessionId,
    );
    for (const run of others) cancel(call.world, run);
    return others.length > 0 ? { ...answer } : undefined;
  },
  'st-runs-more-false': sets('v4.list', () => ({ hasMore: false, nextCursor: null })),
  'st-runs-cancelled-hidden': rows('v4.list', 'runs', (list) => list.filter((row) => row['status'] !== 'cancelled')),
  'st-events-url-lost': sets('v4.create', (body) => ({ eventsUrl: `${String(body['eventsUrl'])}/list` })),
  'st-events-more-true': sets('v4.events', () => ({ hasMore: true })),
  'st-conv-title-lost-at-run': (call, answer) => {
    const session = call.project.conversations.get(String(bodyObject(call)['sessionId']));
    if (call.operation !== 'v4.create' || answer.status >= 300 || !session?.title) return undefined;
    session.title = null;
    return { ...answer };
  },
  'st-conv-task-of-first': sets('v4.getSession', (body, call) => {
    const first = call.project.runs.get(sessionIn(call)?.runIds[0] ?? '');
    return { task: first?.task ?? body['task'] };
  }),
  'st-conv-deleted-listed': rows('v4.listSessions', 'sessions', (list, call) => {
    const deleted = remember(call.project)['deleted session'];
    return isObject(deleted) && !call.query.has('cursor') ? [deleted, ...list] : list;
  }),
  'st-conv-more-false': sets('v4.listSessions', () => ({ hasMore: false, nextCursor: null })),
  'st-conv-created-moves': sets('v4.getSession', (_body, call) => ({
    createdAt: call.world.dialect.time(now(call.world)),
  })),
  'st-conv-workspace-null': sets('v4.getSession', () => ({ workspaceId: null })),
  'st-queue-newest-first': rows('v4.listQueue', 'queue', (list) => list.toReversed()),
  'st-queue-run-null': setsMessage(() => ({ runId: null })),
  'st-queue-mode-always-queue': setsMessage(() => ({ mode: 'queue' })),
  'st-queue-id-text': setsMessage((message) => ({ id: String(message['id']) })),
};

/** Applies active faults to the response of a V4 operation, and performs their side effects. */
export function concludeRunStatements(call: Call, given: Answer): Answer {
  if (!call.operation.startsWith('v4.')) return given;
  const { faults } = call.world;
  let answer = given;
  for (const [id, conclude] of faults.entries(answers)) {
    const changed = conclude(call, answer);
    if (changed !== undefined && faults.has(id)) answer = changed;
  }
  const run = runIn(call);
  if (run && call.operation === 'v4.events') return showEvents(call, run, answer);
  return run && ['v4.getRun', 'v4.status', 'v4.cancel'].includes(call.operation) ? showRun(call, run, answer) : answer;
}

function showEvents(call: Call, run: Run, answer: Answer): Answer {
  let shown = answer;
  for (const [id, change] of call.world.faults.entries(eventsByFault)) {
    const changed = rows('v4.events', 'events', (events) => change({ events, run, call }))(call, shown);
    if (changed !== undefined && call.world.faults.has(id)) shown = changed;
  }
  return shown;
}

function showRun(call: Call, run: Run, answer: Answer): Answer {
  if (!isObject(answer.body) || answer.status >= 300) return answer;
  const view = { ...answer.body };
  for (const [id, change] of call.world.faults.entries(views)) {
    const before = JSON.stringify(view);
    change({ view, run, call });
    if (JSON.stringify(view) !== before) call.world.faults.reached.add(id);
  }
  return { ...answer, body: view };
}
