/** Faults of V3 sessions, most of which occur over several tasks, reads and follow-ups. */
import type { FaultId } from '../faults/index.ts';
import { type Answer, bodyObject, type Call } from './call.ts';
import { type ChangesRequest, count, createBegin, isFollowUp, type Refuses, remember } from './moments.ts';
import { isObject } from './outputs.ts';
import { levels, ownKeyModels, v3Levels } from './tables.ts';
import type { Json, Session } from './world.ts';

const busy: Answer = { status: 409, body: { detail: 'The session takes no task' } };

/** Returns the session to which a request sends a further task; undefined for any other request. */
export function followed(call: Call): Session | undefined {
  return isFollowUp(call) ? call.project.sessions.get(String(bodyObject(call)['sessionId'])) : undefined;
}

const isCreation = (call: Call): boolean => call.operation === 'v3.create' && !isFollowUp(call);

function withoutLevel(call: Call): Call | undefined {
  const { thinkingLevel, ...body } = bodyObject(call);
  return typeof thinkingLevel === 'string' ? { ...call, body } : undefined;
}

/** Faults that refuse a valid request. */
const refusals: Refuses = {
  'jt-level-null-refused': (body, call) => isCreation(call) && body['thinkingLevel'] === null,
  'jt-glm-wants-level': (body, call) =>
    isCreation(call) && body['model'] === 'glm-5.2' && body['thinkingLevel'] === undefined,
  'jt-own-key-native-refused': (body, call) =>
    isCreation(call) && body['useOwnKey'] === true && !ownKeyModels.has(String(body['model'])),
  'jt-follow-up-needs-model': (body, call) => isFollowUp(call) && body['model'] === undefined,
};

/**
 * Faults that change a follow-up or a request for messages before its handler gets the request, or respond in place of
 * the handler.
 */
const requests: ChangesRequest = {
  'jt-follow-up-new-session': (call) => {
    const session = followed(call);
    if (session?.status !== 'idle') return undefined;
    const { sessionId: _sessionId, ...body } = bodyObject(call);
    const { askedModel, ownKey, keepAlive } = session;
    return { ...call, body: { model: askedModel, useOwnKey: ownKey, keepAlive, ...body } };
  },
  'jt-idle-refuses-second': (call) => {
    const session = followed(call);
    return session?.status === 'idle' && session.tasks > 0 ? busy : undefined;
  },
  'jt-idle-refuses-first': (call) => {
    const session = followed(call);
    return session?.status === 'idle' && session.tasks === 0 ? busy : undefined;
  },
  'jt-refusal-blocks': (call) => {
    const session = followed(call);
    return session && remember(session)['blocked'] === true ? busy : undefined;
  },
  'jt-level-late': (call) => {
    const session = followed(call);
    if (session) remember(session)['level before'] = session.level;
    return undefined;
  },
  'jt-level-only-up': (call) => {
    const session = followed(call);
    const given = levels.findIndex((level) => level === bodyObject(call)['thinkingLevel']);
    const isLower = session?.level != null && given >= 0 && given < levels.indexOf(session.level);
    return isLower ? withoutLevel(call) : undefined;
  },
  'jt-level-alias-stays': (call) => {
    const session = followed(call);
    return session && session.askedModel !== session.model ? withoutLevel(call) : undefined;
  },
  'jt-level-own-key-stays': (call) => (followed(call)?.ownKey === true ? withoutLevel(call) : undefined),
  'jt-level-glm-low-later': (call) => {
    const session = followed(call);
    if (session?.model !== 'glm-5.2' || bodyObject(call)['thinkingLevel'] !== 'low') return undefined;
    session.level = 'low';
    return withoutLevel(call);
  },
  'jt-level-high-is-medium': (call) => {
    const body = bodyObject(call);
    const knows = v3Levels.get(followed(call)?.model ?? '')?.includes('medium') === true;
    return knows && body['thinkingLevel'] === 'high'
      ? { ...call, body: { ...body, thinkingLevel: 'medium' } }
      : undefined;
  },
  'jt-own-key-follow-up-unchecked': (call) => {
    const session = followed(call);
    const { useOwnKey, thinkingLevel } = bodyObject(call);
    const isKnown = v3Levels.get(session?.model ?? '')?.some((level) => level === thinkingLevel) === true;
    return session && useOwnKey === true && !isKnown ? withoutLevel(call) : undefined;
  },
  'jt-messages-after-ignored-later': (call) => {
    const isLater = Number(call.project.sessions.get(call.params['session_id'] ?? '')?.tasks) > 1;
    if (call.operation !== 'v3.messages' || !isLater || !call.query.has('after')) return undefined;
    const query = new URLSearchParams(call.query);
    query.delete('after');
    return { ...call, query };
  },
};

/**
 * Applies active faults to a request. Returns the request, possibly changed, or a response of a fault. Throws a
 * `Refusal` if a fault refuses the request.
 */
export const beginSessionJobs = createBegin(refusals, requests);

/** A session that a response contains: its record in the response (`view`) and its state (`session`). */
export interface Shown {
  readonly view: Json;
  readonly session: Session;
  readonly call: Call;
}

/** Returns the last value that a member showed during the first task of the session; null if no value is known. */
function atFirstTask({ view, session }: Shown, name: string): unknown {
  const kept = remember(session);
  if (session.tasks <= 1) kept[`first ${name}`] = view[name];
  return kept[`first ${name}`] ?? null;
}

/** Returns whether a session was stopped by a request. */
export const isStopped = ({ session }: Shown): boolean =>
  session.status === 'stopped' && remember(session)['stopped by request'] === true;
const stoppedByItself = (shown: Shown): boolean => shown.session.status === 'stopped' && !isStopped(shown);
const isWorking = ({ session }: Shown): boolean => session.status === 'running';
/** Returns whether a session has received a second task. */
export const isLater = ({ session }: Shown): boolean => session.tasks > 1;

const views: Partial<Record<FaultId, (shown: Shown) => void>> = {
  'jt-title-waits': ({ view, session }) => {
    if (session.status === 'running' && session.tasks === 1) view['title'] = null;
  },
  'jt-summary-of-first': (shown) => {
    const before = atFirstTask(shown, 'lastStepSummary');
    if (isLater(shown)) shown.view['lastStepSummary'] = before;
  },
  'jt-tokens-of-first': (shown) => {
    for (const name of ['totalInputTokens', 'totalOutputTokens']) {
      const before = atFirstTask(shown, name);
      if (isLater(shown)) shown.view[name] = before;
    }
  },
  'jt-total-of-last': (shown) => {
    const before = Number(atFirstTask(shown, 'totalCostUsd'));
    if (isLater(shown)) shown.view['totalCostUsd'] = (Number(shown.view['totalCostUsd']) - before).toFixed(6);
  },
  'jt-code-null': ({ view }) => {
    if (isObject(view['output']) && 'code' in view['output']) view['output'] = { ...view['output'], code: null };
  },
  'jt-level-default-shown': ({ view }) => void (view['thinkingLevel'] ??= 'medium'),
  'jt-recording-lost-at-auto-stop': (shown) => {
    if (stoppedByItself(shown)) shown.view['recordingUrls'] = [];
  },
  'jt-ceiling-number-later': (shown) => {
    if (isLater(shown) && shown.view['maxCostUsd'] !== null)
      shown.view['maxCostUsd'] = Number(shown.view['maxCostUsd']);
  },
  'jt-browser-cost-lost-at-stop': (shown) => {
    if (isStopped(shown)) shown.view['browserCostUsd'] = '0';
  },
  'jt-proxy-hidden-in-total': ({ view, session }) => {
    if (session.country === null) view['proxyCostUsd'] = '0';
  },
  'jt-updated-before-follow-up': (shown) => {
    const before = atFirstTask(shown, 'updatedAt');
    if (isLater(shown)) shown.view['updatedAt'] = before;
  },
  'jt-success-true-sticks': ({ view, session }) => {
    const kept = remember(session);
    if (session.status !== 'running' && session.successful === true) kept['achieved'] = true;
    if (session.successful === false && kept['achieved'] === true) view['isTaskSuccessful'] = true;
  },
  'jt-recording-lost-at-follow-up': (shown) => {
    if (isLater(shown)) shown.view['recordingUrls'] = [];
  },
  'jt-workspace-later': (shown) => {
    if (isLater(shown))
      shown.view['workspaceId'] = remember(shown.session)['workspace'] ??= shown.call.world.dialect.id();
  },
  'jt-inbox-later': (shown) => {
    if (isLater(shown)) shown.view['inboxEmail'] ??= `later-${shown.session.id}@inbox.example`;
  },
  'jt-own-key-mini': ({ view, session }) => {
    if (session.ownKey && session.askedModel === 'svc-mini') view['model'] = 'gemini-3.5-flash';
  },
  'jt-level-in-list': ({ session }) => void (remember(session)['created level'] ??= session.level ?? 'none'),
  'jt-level-provider-word': ({ view, session }) => {
    if (session.level !== 'disabled') return;
    if (session.model.startsWith('gemini')) view['thinkingLevel'] = 'minimal';
    if (session.model.startsWith('gpt')) view['thinkingLevel'] = 'none';
  },
  'jt-shot-lost-at-stop': ({ view, session, call }) => {
    if (session.status === 'stopped' && view['screenshotUrl'])
      view['screenshotUrl'] = `${call.world.url}/lost/${session.id}.png?n=${count(session, 'lost shots')}`;
  },
  'jt-idle-while-follow-up': (shown) => {
    if (isLater(shown) && isWorking(shown)) shown.view['status'] = 'idle';
  },
  'jt-kept-stops-at-follow-up': ({ view, session }) => {
    if (session.tasks === 2 && session.status === 'idle') view['status'] = 'stopped';
  },
  'jt-output-lags': ({ view, session, call }) => {
    const hasEnded = call.operation === 'v3.get' && session.work === null && session.tasks > 0;
    if (hasEnded && count(session, `looks after task ${session.tasks}`) === 1)
      Object.assign(view, { output: null, isTaskSuccessful: null });
  },
  'jt-stop-is-timed-out': (shown) => {
    if (isStopped(shown)) shown.view['status'] = 'timed_out';
  },
  'jt-auto-stop-is-timed-out': (shown) => {
    if (stoppedByItself(shown)) shown.view['status'] = 'timed_out';
  },
  'jt-taskless-running': ({ view, session }) => {
    if (session.tasks === 0 && session.status === 'idle') view['status'] = 'running';
  },
  'jt-level-late': (shown) => {
    if (isLater(shown) && isWorking(shown))
      shown.view['thinkingLevel'] = remember(shown.session)['level before'] ?? null;
  },
};

/** Faults that change a response or have a side effect after it. */
const answers: Partial<Record<FaultId, (call: Call, answer: Answer) => Answer | undefined>> = {
  'jt-refusal-clears-level': (call, answer) => {
    const session = followed(call);
    if (!session || answer.status !== 422 || session.level === null) return undefined;
    session.level = null;
    return { ...answer };
  },
  'jt-refusal-blocks': (call, answer) => {
    const session = followed(call);
    if (session && answer.status === 422) remember(session)['blocked'] = true;
    return undefined;
  },
  'jt-success-false-at-stop': (call, answer) => {
    const session = call.project.sessions.get(call.params['session_id'] ?? '');
    if (call.operation !== 'v3.stop' || answer.status !== 200 || session?.successful !== true) return undefined;
    session.successful = false;
    return { ...answer };
  },
  'jt-msg-follow-up-all': (call, answer) => {
    if (!followed(call) || answer.status !== 422 || !isObject(answer.body)) return undefined;
    return withText(answer, (body) => body.replace(/values: [^"\\]*/, `values: ${levels.join(', ')}`));
  },
  'jt-level-in-list': (call, answer) =>
    changeRows(call, answer, {
      operation: 'v3.list',
      member: 'sessions',
      change: (rows) =>
        rows.map((row) => {
          const session = call.project.sessions.get(String(row['id']));
          const level = session ? remember(session)['created level'] : undefined;
          return level === undefined ? row : { ...row, thinkingLevel: level === 'none' ? null : level };
        }),
    }),
  'jt-messages-of-first': (call, answer) =>
    changeRows(call, answer, {
      operation: 'v3.messages',
      member: 'messages',
      change: (rows) => rows.map((row) => ({ ...row, sessionId: [...call.project.sessions.keys()][0] })),
    }),
  'jt-messages-follow-up-missing': (call, answer) =>
    changeRows(call, answer, {
      operation: 'v3.messages',
      member: 'messages',
      change: (rows) => {
        const all = call.project.sessions.get(call.params['session_id'] ?? '')?.messages ?? [];
        const [, ...later] = all.filter((message) => message['role'] === 'human').map((message) => message['id']);
        return rows.filter((row) => !later.includes(row['id']));
      },
    }),
  'jt-messages-times-fall': (call, answer) =>
    changeRows(call, answer, {
      operation: 'v3.messages',
      member: 'messages',
      change: (rows) => {
        const times = rows.map((row) => row['createdAt']).toReversed();
        return rows.map((row, index) => ({ ...row, createdAt: times[index] }));
      },
    }),
};

/** Changes the JSON text of the body of a response; returns undefined if nothing changes. */
export function withText(answer: Answer, change: (body: string) => string): Answer | undefined {
  const before = JSON.stringify(answer.body ?? null);
  const changed = change(before);
  return changed === before ? undefined : { ...answer, body: JSON.parse(changed) as unknown };
}

/**
 * Changes the rows in the list response of an operation; returns undefined for other responses, and if no row changes.
 */
export function changeRows(
  call: Call,
  answer: Answer,
  { operation, member, change }: { operation: string; member: string; change: (rows: Json[]) => Json[] },
): Answer | undefined {
  if (call.operation !== operation || !isObject(answer.body)) return undefined;
  const given: unknown = answer.body[member];
  if (!Array.isArray(given)) return undefined;
  const rows = given.filter((row: unknown): row is Json => isObject(row));
  const changed = change(rows);
  return JSON.stringify(changed) === JSON.stringify(rows)
    ? undefined
    : { ...answer, body: { ...answer.body, [member]: changed } };
}

/** Applies active faults to the response of a V3 operation, and performs their side effects. */
export function concludeSessionJobs(call: Call, given: Answer): Answer {
  if (!call.operation.startsWith('v3.')) return given;
  const { faults } = call.world;
  const named = call.project.sessions.get(call.params['session_id'] ?? '');
  if (named && call.operation === 'v3.stop' && given.status === 200) remember(named)['stopped by request'] ??= true;
  let answer = given;
  for (const [id, conclude] of faults.entries(answers)) {
    const changed = conclude(call, answer);
    if (changed !== undefined && faults.has(id)) answer = changed;
  }
  return showSession(call, answer);
}

function showSession(call: Call, answer: Answer): Answer {
  const session = isObject(answer.body) ? call.project.sessions.get(String(answer.body['id'])) : undefined;
  if (!session || !isObject(answer.body) || answer.status >= 300) return answer;
  const view = { ...answer.body };
  for (const [id, change] of call.world.faults.entries(views)) {
    const before = JSON.stringify(view);
    change({ view, session, call });
    if (JSON.stringify(view) !== before) call.world.faults.reached.add(id);
  }
  return { ...answer, body: view };
}
