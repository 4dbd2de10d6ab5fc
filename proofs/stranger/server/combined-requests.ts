/**
 * Faults of V3 requests, most of which occur only with a combination of settings, in a later task or after another
 * request.
 */
import type { FaultId } from '../faults/index.ts';
import { type Answer, bodyObject, type Call, Refusal, text } from './call.ts';
import { isFollowUp, remember } from './moments.ts';
import { isObject } from './outputs.ts';
import { resolveAlias, v3Levels } from './tables.ts';
import { bill, type Json, type Session, type World } from './world.ts';

function followed(call: Call): Session | undefined {
  return isFollowUp(call) ? call.project.sessions.get(String(bodyObject(call)['sessionId'])) : undefined;
}

function named(call: Call): Session | undefined {
  return call.project.sessions.get(call.params['session_id'] ?? '');
}

function without(call: Call, name: string): Call {
  return { ...call, body: Object.fromEntries(Object.entries(bodyObject(call)).filter(([member]) => member !== name)) };
}

function model(body: Json): string {
  return resolveAlias(text(body, 'model') ?? 'claude-opus-4.7');
}

const isCreation = (call: Call): boolean => call.operation === 'v3.create' && !isFollowUp(call);

/** Faults that refuse a valid request. */
const refusals: Partial<Record<FaultId, (body: Json, call: Call) => boolean>> = {
  'cb-null-refused-minimax': (body) => body['thinkingLevel'] === null && model(body) === 'minimax-m3',
  'cb-null-refused-pro': (body) => body['thinkingLevel'] === null && model(body) === 'gemini-3.1-pro',
  'cb-minimax-refused': (body) => model(body) === 'minimax-m3',
  'cb-own-key-mini-disabled': (body) =>
    body['useOwnKey'] === true && body['model'] === 'gpt-5.4-mini' && body['thinkingLevel'] === 'disabled',
  'cb-follow-up-alias-refused': (body, call) =>
    typeof body['thinkingLevel'] === 'string' && followed(call)?.askedModel.startsWith('svc-') === true,
  'cb-unicode-refused': (body) => /[^ -~\s]/.test(text(body, 'task') ?? ''),
  'cb-lines-refused': (body) => (text(body, 'task') ?? '').includes('\n'),
  'cb-schema-ref-refused': (body) => JSON.stringify(body['outputSchema'] ?? null).includes('"$ref"'),
  'cb-schema-array-refused': (body) => isObject(body['outputSchema']) && body['outputSchema']['type'] === 'array',
  'cb-zw-refused': (body) => body['proxyCountryCode'] === 'zw',
};

/** Faults that change a request before its handler gets the request, or respond in place of the handler. */
const changes: Partial<Record<FaultId, (call: Call, body: Json) => Call | Answer | undefined>> = {
  'cb-level-code-schema': (call, body) =>
    body['codeMode'] === true && isObject(body['outputSchema']) && 'thinkingLevel' in body
      ? without(call, 'thinkingLevel')
      : undefined,
  'cb-level-own-key-kept': (call, body) =>
    body['useOwnKey'] === true && body['keepAlive'] === true && 'thinkingLevel' in body
      ? without(call, 'thinkingLevel')
      : undefined,
  'cb-own-key-flash-with-level': (call, body) =>
    body['model'] === 'gemini-3.5-flash' &&
    v3Levels.get('gemini-3.5-flash')?.some((one) => one === body['thinkingLevel'])
      ? { ...call, body: { ...body, useOwnKey: true } }
      : undefined,
  'cb-own-key-gpt52-no-task': (call, body) =>
    body['model'] === 'gpt-5.2' && (body['task'] ?? null) === null
      ? { ...call, body: { ...body, useOwnKey: true } }
      : undefined,
  'cb-follow-up-unchecked-unset': (call) =>
    followed(call)?.level === null ? without(call, 'thinkingLevel') : undefined,
  'cb-level-same-clears': (call, body) => {
    const session = followed(call);
    const isSame = session !== undefined && session.level !== null && body['thinkingLevel'] === session.level;
    return isSame ? { ...call, body: { ...body, thinkingLevel: null } } : undefined;
  },
  'cb-level-null-once': (call, body) => {
    const session = followed(call);
    if (session === undefined) return undefined;
    const kept = remember(session);
    const isBack = kept['isCleared'] === true && !('thinkingLevel' in body);
    kept['isCleared'] = body['thinkingLevel'] === null;
    kept['level'] ??= session.level;
    return isBack ? { ...call, body: { ...body, thinkingLevel: kept['level'] } } : undefined;
  },
  'cb-level-one-task': (call, body) => {
    const session = followed(call);
    if (session === undefined) return undefined;
    const kept = remember(session);
    kept['level'] ??= session.level;
    const isBack = session.level !== kept['level'] && !('thinkingLevel' in body);
    return isBack ? { ...call, body: { ...body, thinkingLevel: kept['level'] } } : undefined;
  },
  'cb-level-ignored-with-schema': (call, body) =>
    followed(call) && isObject(body['outputSchema']) && 'thinkingLevel' in body
      ? without(call, 'thinkingLevel')
      : undefined,
  'cb-follow-up-schema-ignored': (call, body) =>
    followed(call) && isObject(body['outputSchema']) ? without(call, 'outputSchema') : undefined,
  'cb-code-false-is-code': (call, body) =>
    isCreation(call) && body['codeMode'] === false ? { ...call, body: { ...body, codeMode: true } } : undefined,
  'cb-unknown-id-latest': (call) => {
    const latest = [...call.project.sessions.keys()].at(-1);
    const isUnknown = call.operation === 'v3.get' && /^[0-9a-f-]{36}$/.test(call.params['session_id'] ?? '');
    return isUnknown && latest !== undefined && named(call) === undefined
      ? { ...call, params: { session_id: latest } }
      : undefined;
  },
  'cb-mixes-idle': (call) => {
    const idle = [...call.project.sessions.values()].find(({ status }) => status === 'idle');
    const isIdle = call.operation === 'v3.get' && named(call)?.status === 'idle';
    return isIdle && idle !== undefined && idle !== named(call)
      ? { ...call, params: { session_id: idle.id } }
      : undefined;
  },
  'cb-stop-created-ignored': (call) => {
    const session = named(call);
    return call.operation === 'v3.stop' && session?.status === 'created'
      ? { status: 200, body: { id: session.id, status: session.status } }
      : undefined;
  },
  'cb-stop-id-404': (call) => malformed(call, 'v3.stop', { status: 404, body: { detail: 'Session not found' } }),
  'cb-delete-id-204': (call) => malformed(call, 'v3.delete', { status: 204 }),
  'cb-messages-id-empty': (call) =>
    malformed(call, 'v3.messages', { status: 200, body: { messages: [], hasMore: false } }),
  'cb-foreign-stop': (call) => asOwner(call, 'v3.stop', call.params['session_id'] ?? ''),
  'cb-foreign-messages': (call) => asOwner(call, 'v3.messages', call.params['session_id'] ?? ''),
  'cb-foreign-follow-up': (call, body) => asOwner(call, 'v3.create', String(body['sessionId'])),
  'cb-stop-task-idle-stops': (call, body) =>
    call.operation === 'v3.stop' && body['strategy'] === 'task' && named(call)?.status === 'idle'
      ? { ...call, body: {} }
      : undefined,
  'cb-profile-patch-clears': (call, body) =>
    call.operation === 'v3.patchProfile' && 'name' in body && !('userId' in body)
      ? { ...call, body: { ...body, userId: null } }
      : undefined,
};

function malformed(call: Call, operation: string, answer: Answer): Answer | undefined {
  const id = call.params['session_id'] ?? '';
  return call.operation === operation && !/^[0-9a-f-]{36}$/i.test(id) ? answer : undefined;
}

function asOwner(call: Call, operation: string, id: string): Call | undefined {
  const owner = call.world.projects.find(({ sessions }) => sessions.has(id));
  return call.operation === operation && owner !== undefined && owner !== call.project
    ? { ...call, project: owner }
    : undefined;
}

/**
 * Applies active faults to a request. Returns the request, possibly changed, or a response of a fault. Throws a
 * `Refusal` if a fault refuses the request.
 */
export function beginCombined(call: Call): Call | Answer {
  const { faults } = call.world;
  const body = bodyObject(call);
  for (const [id, refuses] of faults.entries(refusals)) {
    if (call.operation === 'v3.create' && refuses(body, call) && faults.has(id))
      throw new Refusal({
        status: 422,
        body: { detail: [{ loc: ['body'], msg: 'Not available', type: 'value_error' }] },
      });
  }
  const isChange = call.operation === 'v3.create' || call.params['session_id'] !== undefined;
  for (const [id, change] of isChange || call.operation === 'v3.patchProfile' ? faults.entries(changes) : []) {
    const changed = change(call, body);
    if (changed !== undefined && faults.has(id)) return changed;
  }
  return call;
}

/**
 * Changes the messages about `thinking_level` in a 422 response. Returns undefined for any other response, and if
 * nothing changes.
 */
function reworded(answer: Answer, change: (msg: string) => string): Answer | undefined {
  if (answer.status !== 422 || !isObject(answer.body) || !Array.isArray(answer.body['detail'])) return undefined;
  const detail = answer.body['detail'].map((one) =>
    isObject(one) && String(one['msg']).includes('thinking_level') ? { ...one, msg: change(String(one['msg'])) } : one,
  );
  const isSame = JSON.stringify(detail) === JSON.stringify(answer.body['detail']);
  return isSame ? undefined : { ...answer, body: { detail } };
}

const isRefused = (call: Call, { status }: Answer): boolean => status === 422 && followed(call) !== undefined;

/**
 * Creates a function for the response to a follow-up. For a 422, the function applies `change` to the session and
 * returns a copy of the response. For any other response, it returns undefined.
 */
const afterRefusal =
  (change: (session: Session, call: Call) => void): Conclusion =>
  (call, answer) => {
    const session = followed(call);
    if (session === undefined || answer.status !== 422) return undefined;
    change(session, call);
    return { ...answer };
  };

/** A function that returns a changed answer, or undefined if it changes nothing. */
type Conclusion = (call: Call, answer: Answer) => Answer | undefined;

const isStop = ({ operation }: Call, { status }: Answer): boolean => operation === 'v3.stop' && status === 200;

const answers: Partial<Record<FaultId, Conclusion>> = {
  'cb-msg-provider-empty': (_call, answer) =>
    reworded(answer, (msg) => (msg.includes('glm') ? msg.replace(/provider "[^"]*"/, 'provider ""') : msg)),
  'cb-msg-list-empty-glm': (_call, answer) =>
    reworded(answer, (msg) => (msg.includes('glm') ? msg.replace(/values: .*$/, 'values: ') : msg)),
  'cb-msg-follow-up-default': (call, answer) =>
    followed(call) ? reworded(answer, (msg) => msg.replace(/Model "[^"]*"/, 'Model "claude-opus-4.7"')) : undefined,
  'cb-msg-follow-up-plain': (call, answer) =>
    followed(call) ? reworded(answer, () => 'The level is not supported') : undefined,
  'cb-follow-up-400': (call, answer) => (isRefused(call, answer) ? { ...answer, status: 400 } : undefined),
  'cb-level-shared': (call, answer) => {
    const session = followed(call);
    const all = [...call.project.sessions.values()];
    const other = session && all[all.indexOf(session) - 1];
    if (!other || answer.status !== 200 || other.level === session.level) return undefined;
    other.level = session.level;
    return { ...answer };
  },
  'cb-follow-up-new-id': (call, answer) =>
    followed(call) && answer.status === 200 && isObject(answer.body)
      ? { ...answer, body: { ...answer.body, id: call.world.dialect.id() } }
      : undefined,
  'cb-refusal-uses-tokens': afterRefusal((session) => void (session.meters.inputTokens += 410)),
  'cb-refusal-new-title': afterRefusal((session) => void (session.title = 'A level that is not supported')),
  'cb-refusal-new-summary': afterRefusal((session) => void (session.lastStepSummary = 'Was asked for another level')),
  'cb-refusal-ends-keeping': afterRefusal((session) => void (session.keepAlive = false)),
  'cb-refusal-adds-message': afterRefusal((session, call) => {
    const message = { role: 'human', data: text(bodyObject(call), 'task'), type: 'user_message', summary: '' };
    const createdAt = call.world.dialect.time(session.updatedAt);
    session.messages.push({ id: call.world.dialect.id(), sessionId: session.id, hidden: false, ...message, createdAt });
  }),
  'cb-steps-after-stop': (call, answer) => noted(call, answer),
  'cb-steps-zero-after-stop': (call, answer) => noted(call, answer),
  'cb-stop-clears-output': (call, answer) => {
    const session = named(call);
    if (!session || !isStop(call, answer) || session.output === null) return undefined;
    Object.assign(session, { output: null, successful: null });
    return { ...answer };
  },
  'cb-stop-clears-title': (call, answer) => {
    const session = named(call);
    if (!session || !isStop(call, answer) || session.title === null) return undefined;
    Object.assign(session, { title: null, lastStepSummary: null });
    return { ...answer };
  },
  'cb-stop-stops-next': (call, answer) => {
    const all = [...call.project.sessions.values()];
    const next = all[all.findIndex(({ id }) => id === call.params['session_id']) + 1];
    if (!isStop(call, answer) || !next || next.status === 'stopped') return undefined;
    next.work?.stop();
    Object.assign(next, { status: 'stopped', work: null });
    return { ...answer };
  },
  'cb-stop-task-clears-level': (call, answer) => {
    const session = named(call);
    if (!session || !isStop(call, answer) || session.status !== 'idle' || session.level === null) return undefined;
    session.level = null;
    return { ...answer };
  },
  'cb-timed-out-forgotten': (call, answer) =>
    call.operation === 'v3.get' && named(call)?.status === 'timed_out'
      ? { ...answer, status: 404, body: { detail: 'Session not found' } }
      : undefined,
  'cb-list-stale': (call, answer) => listed(call, answer, ['sessions', (row) => ({ ...row, status: 'running' })]),
  'cb-messages-oldest': (call, answer) => {
    const all = named(call)?.messages ?? [];
    const limit = Number(call.query.get('limit') ?? 10);
    const isPart = call.operation === 'v3.messages' && answer.status === 200 && all.length > limit;
    return isPart && !call.query.has('after') && !call.query.has('before')
      ? { ...answer, body: { messages: all.slice(0, limit), hasMore: true } }
      : undefined;
  },
  'cb-messages-more-false': (call, answer) =>
    call.operation === 'v3.messages' && isObject(answer.body) && answer.body['hasMore'] === true
      ? { ...answer, body: { ...answer.body, hasMore: false } }
      : undefined,
  'cb-messages-new-ids': (call, answer) =>
    listed(call, answer, ['messages', (row) => ({ ...row, id: call.world.dialect.id() })]),
  'cb-messages-lost-at-stop': (call, answer) =>
    named(call)?.status === 'stopped' ? listed(call, answer, ['messages', () => undefined]) : undefined,
  'cb-sensitive-shown': (call, answer) => {
    const values = bodyObject(call)['sensitiveData'];
    const session = isObject(answer.body) ? call.project.sessions.get(String(answer.body['id'])) : undefined;
    if (session && isObject(values)) remember(session)['secret'] = String(Object.values(values)[0]);
    return undefined;
  },
  'cb-upload-one-address': (call, answer) => {
    const files = isObject(answer.body) && Array.isArray(answer.body['files']) ? answer.body['files'] : [];
    if (call.operation !== 'v3.upload' || files.length < 2 || !isObject(files[0])) return undefined;
    const { uploadUrl } = files[0];
    return { ...answer, body: { files: files.map((one) => (isObject(one) ? { ...one, uploadUrl } : one)) } };
  },
  'cb-profile-delete-next': (call, answer) => {
    const next = [...call.project.profiles.keys()].at(-1);
    if (call.operation !== 'v3.deleteProfile' || answer.status !== 204 || next === undefined) return undefined;
    call.project.profiles.delete(next);
    return { ...answer };
  },
  'cb-file-delete-prefix': (call, answer) => {
    const files = call.project.workspaces.get(call.params['workspace_id'] ?? '')?.files;
    const path = call.query.get('path') ?? '';
    const others = [...(files?.keys() ?? [])].filter((one) => one.startsWith(path));
    if (call.operation !== 'v3.deleteFile' || answer.status !== 204 || others.length === 0) return undefined;
    for (const one of others) files?.delete(one);
    return { ...answer };
  },
};

/** Records that a request has stopped a session. Returns undefined, because the response does not change. */
function noted(call: Call, answer: Answer): undefined {
  const session = named(call);
  if (session && isStop(call, answer)) remember(session)['isStopped'] = true;
}

function listed(
  call: Call,
  answer: Answer,
  [member, change]: readonly ['sessions' | 'messages', (row: Json) => Json | undefined],
): Answer | undefined {
  const operation = member === 'sessions' ? 'v3.list' : 'v3.messages';
  if (call.operation !== operation || !isObject(answer.body) || !Array.isArray(answer.body[member])) return undefined;
  const rows = answer.body[member];
  if (rows.length === 0) return undefined;
  const shown = rows.flatMap((row: unknown) => (isObject(row) ? [change(row)].filter((one) => one !== undefined) : []));
  return { ...answer, body: { ...answer.body, [member]: shown } };
}

/** Applies active faults to a V3 response, and marks the faults that changed the response as reached. */
export function concludeCombined(call: Call, answer: Answer): Answer {
  let current = answer;
  if (!call.operation.startsWith('v3.')) return current;
  for (const [id, conclude] of call.world.faults.entries(answers)) {
    const changed = conclude(call, current);
    if (changed !== undefined && call.world.faults.has(id)) current = changed;
  }
  return current;
}

const keyless: Partial<Record<FaultId, string>> = {
  'st-br-wrong-key-stop-works': 'v4.patchBrowser',
  'st-auth-browser-create-works': 'v4.createBrowser',
  'st-auth-profile-delete-works': 'v4.deleteProfile',
  'st-auth-profile-patch-works': 'v4.patchProfile',
  'st-auth-v2-create-works': 'v2.create',
  'st-auth-v2-stop-works': 'v2.patch',
  'st-auth-v2-session-stop-works': 'v2.patchSession',
  'ub-auth-run-create-works': 'v4.create',
  'cb-keyless-stop-works': 'v3.stop',
  'cb-keyless-create-works': 'v3.create',
  'cb-keyless-delete-works': 'v3.delete',
};

/**
 * If an active fault says so, performs the effect of a request without a valid key. The request is refused
 * nevertheless.
 */
export function actWithoutKey(
  world: World,
  { route, params }: { route: { operation: string; handle: (call: Call) => Answer }; params: Record<string, string> },
  bytes: Buffer,
): void {
  const [project] = world.projects;
  if (project === undefined) return;
  for (const [id, operation] of world.faults.entries(keyless)) {
    if (route.operation !== operation) continue;
    const body: unknown = bytes.length === 0 ? undefined : (JSON.parse(bytes.toString('utf8')) as unknown);
    try {
      route.handle({ world, project, operation, params, query: new URLSearchParams(), body });
      world.faults.has(id);
    } catch (error) {
      // A request that the operation itself refuses has no effect.
      if (!(error instanceof Refusal) && !(error instanceof Error && error.name === 'Error')) throw error;
    }
  }
}

/** Returns the status that an active fault sets for a session whose task has ended; undefined without such a fault. */
export function statusAfterTask(world: World, session: Session): Session['status'] | undefined {
  const found = world.faults.entries(afterTask).flatMap(([id, status]) => {
    const next = status(session);
    return next !== undefined && world.faults.has(id) ? [next] : [];
  });
  return found[0];
}

const stopsKept = (holds: (session: Session) => boolean) => (session: Session) =>
  session.keepAlive && holds(session) ? ('stopped' as const) : undefined;
const keepsIdle = (holds: (session: Session) => boolean) => (session: Session) =>
  !session.keepAlive && holds(session) ? ('idle' as const) : undefined;

const afterTask: Partial<Record<FaultId, (session: Session) => Session['status'] | undefined>> = {
  'cb-kept-code-stops': stopsKept(({ codeMode }) => codeMode),
  'cb-kept-schema-stops': stopsKept(({ outputSchema }) => outputSchema !== null),
  'cb-kept-failure-stops': stopsKept(({ successful }) => successful === false),
  'pl-recording-stays-idle': keepsIdle(({ recording }) => recording),
  'cb-country-stays-idle': keepsIdle(({ country }) => country !== null && country !== 'us'),
  'cb-failure-stays-idle': keepsIdle(({ successful }) => successful === false),
  'cb-code-stays-idle': keepsIdle(({ codeMode }) => codeMode),
  'cb-ceiling-is-error': ({ ceiling, meters }) =>
    ceiling !== null && bill(meters).total >= ceiling ? 'error' : undefined,
};
