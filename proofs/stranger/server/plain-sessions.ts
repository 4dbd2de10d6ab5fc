/** Simple faults of V3 sessions: each concerns one value, one row, one member or one moment. */
import type { FaultId } from '../faults/index.ts';
import { type Answer, bodyObject, type Call } from './call.ts';
import { changeRows, followed, isLater, isStopped, type Shown, withText } from './jobs-sessions.ts';
import { type ChangesRequest, createBegin, isFollowUp, remember } from './moments.ts';
import { isObject } from './outputs.ts';
import { levels, providerFor } from './tables.ts';
import { bill, later, type Session } from './world.ts';

const named = (call: Call): Session | undefined => call.project.sessions.get(call.params['session_id'] ?? '');

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

const trimmed = (value: unknown): unknown => (typeof value === 'string' ? value.trim() : value);
/**
 * Returns a function that replaces the value `given` by `meant` and keeps any other value. Undefined stands for an
 * absent member.
 */
const readAs =
  (given: unknown, meant: unknown) =>
  (value: unknown): unknown =>
    value === given ? meant : value;

const flags = ['keepAlive', 'codeMode', 'enableRecording', 'useOwnKey'];

/** Faults that interpret a member of a request differently, or answer the request. */
const requests: ChangesRequest = {
  'pl-level-padded': (call) => rewritten(call, 'thinkingLevel', trimmed),
  'pl-level-none-word': (call) => rewritten(call, 'thinkingLevel', readAs('none', 'disabled')),
  'pl-level-false-absent': (call) => rewritten(call, 'thinkingLevel', readAs(false, undefined)),
  'pl-v3-takes-gpt56': (call) => rewritten(call, 'model', readAs('gpt-5.6', 'gpt-5.6-sol')),
  'pl-v3-takes-opus5': (call) => rewritten(call, 'model', readAs('claude-opus-5', 'claude-opus-4.8')),
  'pl-model-padded': (call) => rewritten(call, 'model', trimmed),
  'pl-own-key-false-enough': (call) => rewritten(call, 'useOwnKey', readAs(false, true)),
  'pl-country-empty-absent': (call) => rewritten(call, 'proxyCountryCode', readAs('', undefined)),
  'pl-country-padded': (call) => rewritten(call, 'proxyCountryCode', trimmed),
  'pl-schema-empty-text-absent': (call) => rewritten(call, 'outputSchema', readAs('', undefined)),
  'pl-flag-empty-text': (call) => {
    const name = flags.find((flag) => bodyObject(call)[flag] === '');
    return name === undefined ? undefined : rewritten(call, name, () => false);
  },
  'pl-task-false-absent': (call) => rewritten(call, 'task', readAs(false, undefined)),
  'pl-follow-up-level-unlisted': (call) =>
    isFollowUp(call)
      ? rewritten(call, 'thinkingLevel', (value) => (levels.some((one) => one === value) ? value : undefined))
      : undefined,
  'pl-follow-up-level-empty': (call) =>
    isFollowUp(call) ? rewritten(call, 'thinkingLevel', readAs('', null)) : undefined,
  'pl-level-shown-not-stored': (call) => {
    const session = followed(call);
    if (session) remember(session)['level before'] = session.level;
    return undefined;
  },
  'pl-level-a-task-late': (call) => {
    const session = followed(call);
    if (session) remember(session)['level before'] = session.level;
    return undefined;
  },
  'pl-stopped-gone': (call) =>
    call.operation === 'v3.get' && named(call)?.status === 'stopped'
      ? { status: 404, body: { detail: 'Session not found' } }
      : undefined,
  'pl-upper-id-422': (call) =>
    call.operation === 'v3.get' && /[A-F]/.test(call.params['session_id'] ?? '')
      ? { status: 422, body: { detail: [{ loc: ['path', 'session_id'], msg: 'No valid UUID', type: 'uuid_parsing' }] } }
      : undefined,
  'pl-messages-before-ignored': (call) => {
    if (call.operation !== 'v3.messages' || !call.query.has('before')) return undefined;
    const query = new URLSearchParams(call.query);
    query.delete('before');
    return { ...call, query };
  },
};

/** Applies active faults to a request. Returns the request, possibly changed, or a response of a fault. */
export const beginPlain = createBegin({}, requests);

const views: Partial<Record<FaultId, (shown: Shown) => void>> = {
  'pl-level-a-task-late': (shown) => {
    if (isLater(shown)) shown.view['thinkingLevel'] = remember(shown.session)['level before'] ?? null;
  },
  'pl-own-key-model-prefixed': ({ view, session }) => {
    if (session.ownKey) view['model'] = `${providerFor(session.model)}/${session.model}`;
  },
  'pl-disabled-null-at-creation': ({ view, session }) => {
    if (session.tasks <= 1 && session.level === 'disabled') view['thinkingLevel'] = null;
  },
  'pl-level-null-when-idle-again': ({ view, session }) => {
    if (session.status === 'idle' && session.tasks > 0) view['thinkingLevel'] = null;
  },
  'pl-pro-low-is-high': ({ view, session }) => {
    if (session.model === 'gemini-3.1-pro' && session.level === 'low') view['thinkingLevel'] = 'high';
  },
  'pl-glm-high-is-null': ({ view, session }) => {
    if (session.model === 'glm-5.2' && session.level === 'high') view['thinkingLevel'] = null;
  },
  'pl-output-tokens-zero': ({ view }) => void (view['totalOutputTokens'] = 0),
  'pl-tokens-fall-at-stop': (shown) => {
    if (!isStopped(shown)) return;
    for (const name of ['totalInputTokens', 'totalOutputTokens'])
      shown.view[name] = Math.floor(Number(shown.view[name]) / 2);
  },
  'pl-created-is-start': ({ view, session, call }) => {
    if (call.operation !== 'v3.create') view['createdAt'] = call.world.dialect.time(session.createdAt + 20);
  },
  'pl-created-hour-behind': ({ view, session, call }) =>
    void (view['createdAt'] = call.world.dialect.time(session.createdAt - 3_600_000)),
  'pl-times-with-blank': ({ view }) => {
    for (const name of ['createdAt', 'updatedAt']) view[name] = String(view[name]).replace('T', ' ');
  },
  'pl-shot-five-hours': ({ view }) => {
    if (typeof view['screenshotUrl'] !== 'string') return;
    view['screenshotUrl'] = view['screenshotUrl'].replace(
      /until=(\d+)/,
      (_all, until) => `until=${Number(until) + 17_700}`,
    );
  },
  'pl-live-burst': ({ view, session, call }) => {
    const kept = remember(call.project);
    const own = remember(session);
    if (own['live'] === undefined) {
      const isBurst = session.createdAt - Number(kept['live at'] ?? 0) < 50;
      own['live'] = isBurst ? kept['live'] : view['liveUrl'];
      Object.assign(kept, { 'live at': session.createdAt, live: own['live'] });
    }
    view['liveUrl'] = own['live'];
  },
  'pl-schema-titles-lost': ({ view }) => void (view['outputSchema'] = withoutMember(view['outputSchema'], 'title')),
  'pl-schema-defs-lost': ({ view }) => void (view['outputSchema'] = withoutMember(view['outputSchema'], '$defs')),
  'pl-schema-nulls-lost': ({ view }) => {
    const text = JSON.stringify(view['outputSchema'], (_name, value: unknown) => value ?? undefined);
    view['outputSchema'] = text === undefined ? null : JSON.parse(text);
  },
  'pl-schema-names-ascii': ({ view }) =>
    void (view['outputSchema'] = JSON.parse(JSON.stringify(view['outputSchema'] ?? null).replaceAll(/[^ -~]/g, '?'))),
  'pl-code-output-early': ({ view, session }) => {
    if (session.codeMode) view['output'] ??= {};
  },
  'pl-steps-carried-over': ({ view, session, call }) => {
    const all = [...call.project.sessions.values()];
    const before = all[all.indexOf(session) - 1];
    const carried = (remember(session)['carried'] ??= before?.stepCount ?? 0);
    view['stepCount'] = session.stepCount + Number(carried);
  },
  'pl-success-null-at-ceiling': ({ view, session }) => {
    if (session.ceiling !== null && bill(session.meters).total >= session.ceiling) view['isTaskSuccessful'] = null;
  },
  'pl-model-cost-cut': ({ view }) =>
    void (view['llmCostUsd'] = (Math.floor(Number(view['llmCostUsd']) * 100) / 100).toFixed(2)),
  'pl-costs-in-cents': ({ view }) => {
    for (const name of costs) view[name] = String(Number((Number(view[name]) * 100).toFixed(6)));
  },
  'pl-timeout-fails': ({ view, session }) => {
    if (session.status === 'timed_out' && session.tasks > 0) view['isTaskSuccessful'] = false;
  },
  'pl-timeout-clears-costs': ({ view, session }) => {
    if (session.status === 'timed_out') for (const name of costs) view[name] = '0';
  },
};

const costs = ['llmCostUsd', 'proxyCostUsd', 'browserCostUsd', 'totalCostUsd'];

/** Returns a JSON Schema from which a keyword is removed at every depth. Properties of that name are kept. */
function withoutMember(value: unknown, name: string, holdsNames = false): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutMember(one, name));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([member]) => holdsNames || member !== name)
      .map(([member, inner]) => [member, withoutMember(inner, name, !holdsNames && member === 'properties')]),
  );
}

/** Faults that change a response or have a side effect after it. */
const answers: Partial<Record<FaultId, (call: Call, answer: Answer) => Answer | undefined>> = {
  'pl-level-shown-not-stored': (call, answer) => {
    const session = followed(call);
    const before = session && (remember(session)['level before'] ?? null);
    if (!session || answer.status !== 200 || before === session.level) return undefined;
    session.level = levels.find((level) => level === before) ?? null;
    return { ...answer };
  },
  'pl-refusal-runs-a-moment': (call, answer) => {
    const session = followed(call);
    if (session?.status !== 'idle' || answer.status !== 422) return undefined;
    session.status = 'running';
    later(call.world, 60, () => {
      if (session.status === 'running' && session.work === null) session.status = 'idle';
    });
    return { ...answer };
  },
  'pl-follow-up-text-camel': (call, answer) =>
    followed(call) ? withText(answer, (body) => body.replace('thinking_level=', 'thinkingLevel=')) : undefined,
  'pl-stop-stops-workspace': (call, answer) => {
    const stopped = named(call);
    if (call.operation !== 'v3.stop' || answer.status !== 200 || !stopped?.workspaceId) return undefined;
    const others = [...call.project.sessions.values()].filter(
      ({ id, workspaceId, status }) =>
        id !== stopped.id && workspaceId === stopped.workspaceId && ['idle', 'running'].includes(status),
    );
    for (const other of others) {
      other.work?.stop();
      Object.assign(other, { work: null, status: 'stopped' });
    }
    return others.length > 0 ? { ...answer } : undefined;
  },
  'pl-list-tokens-swapped': (call, answer) =>
    changeRows(call, answer, {
      operation: 'v3.list',
      member: 'sessions',
      change: (rows) =>
        rows.map((row) => ({
          ...row,
          totalInputTokens: row['totalOutputTokens'],
          totalOutputTokens: row['totalInputTokens'],
        })),
    }),
  'pl-message-role-ai': (call, answer) =>
    changeRows(call, answer, {
      operation: 'v3.messages',
      member: 'messages',
      change: (rows) => rows.map((row) => ({ ...row, role: 'ai' })),
    }),
  'pl-message-cut': (call, answer) =>
    changeRows(call, answer, {
      operation: 'v3.messages',
      member: 'messages',
      change: (rows) => rows.map((row) => ({ ...row, data: String(row['data']).slice(0, 20) })),
    }),
  'pl-uploads-reversed': (call, answer) =>
    changeRows(call, answer, { operation: 'v3.upload', member: 'files', change: (rows) => rows.toReversed() }),
};

/** Applies active faults to a response, and performs their side effects. */
export function concludePlain(call: Call, given: Answer): Answer {
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
