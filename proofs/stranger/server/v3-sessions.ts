/** V3 sessions: fetch, list, stop, delete, messages; creation and follow-ups after their validation. */
import type { FaultId } from '../faults/index.ts';
import { type Answer, type Call, refuse, flag, objectIn, text } from './call.ts';
import { type Field, memberProblems, readQuery, requireIds, requireObject, settle } from './checks.ts';
import { advanceSessions, beginTask, startSandbox } from './v3-life.ts';
import { sessionView } from './v3-view.ts';
import { type Json, now, type Session, type World, nextSerial, noMeters } from './world.ts';
import { type Level, levels, resolveAlias } from './tables.ts';

/**
 * Applies inactivity timeouts and returns the project's session with an id. Throws a 404 `Refusal` for an unknown id.
 * Active faults may return another session.
 */
function find(call: Call, id: string): Session {
  advanceSessions(call.world, call.project);
  const { faults } = call.world;
  const found = call.project.sessions.get(id.toLowerCase()) ?? foreign(call, id);
  if (!found) refuse(call.world, 404, 'Session not found');
  if (call.operation === 'v3.get' && call.project.sessions.size > 1 && faults.has('v3-get-other-session')) {
    return [...call.project.sessions.values()].find((one) => one !== found) ?? found;
  }
  return found;
}

function foreign(call: Call, id: string): Session | undefined {
  for (const project of call.world.projects) {
    const found = project.sessions.get(id);
    if (found && project !== call.project && call.world.faults.has('v3-get-foreign')) return found;
  }
  return undefined;
}

/** Shows one session. */
export function getSession(call: Call): Answer {
  requireIds(call);
  const session = find(call, call.params['session_id'] ?? '');
  return { status: 200, body: sessionView(call.world, session, 'get') };
}

const pageFields: readonly Field[] = [
  { name: 'page', kind: 'integer', min: 1 },
  { name: 'page_size', kind: 'integer', min: 1, max: 100 },
];

/** Faults of the list of sessions. */
const listFaults: Partial<
  Record<FaultId, (list: { items: Session[]; all: Session[]; total: number; call: Call }) => void>
> = {
  'v3-list-skips-first': (list) => void list.items.shift(),
  'v3-list-repeats': (list) => void list.items.push(...list.items.slice(0, 1)),
  'v3-list-total-off': (list) => void (list.total += 1),
  'v3-list-total-page': (list) => void (list.total = list.items.length),
  'v3-list-page-ignored': (list) => void list.items.splice(0, Infinity, ...list.all.slice(0, list.items.length)),
  'v3-list-empty': (list) => void list.items.splice(0),
  'v3-list-foreign': (list) => {
    for (const project of list.call.world.projects) {
      if (project !== list.call.project) list.items.push(...[...project.sessions.values()].slice(0, 1));
    }
  },
};

/** Lists sessions, newest first. */
export function listSessions(call: Call): Answer {
  const query = readQuery(call, pageFields);
  advanceSessions(call.world, call.project);
  const page = Number(query['page'] ?? 1);
  const size = Number(query['page_size'] ?? 20);
  const all = [...call.project.sessions.values()].toReversed();
  const isSizeIgnored = call.query.has('page_size') && call.world.faults.has('v3-list-size-ignored');
  const items = isSizeIgnored ? [...all] : all.slice((page - 1) * size, page * size);
  const list = { items, all, total: all.length, call };
  call.world.faults.distort(listFaults, list);
  const sessions = list.items.map((session) => sessionView(call.world, session, 'list'));
  return { status: 200, body: { sessions, total: list.total, page, pageSize: size } };
}

/** Stops a session, or only its task. */
export function stopSession(call: Call): Answer {
  requireIds(call);
  const body = requireObject(call, true);
  const fields: Field[] = [{ name: 'strategy', kind: 'text', oneOf: ['session', 'task'] }];
  settle(call, body, memberProblems(fields, body, ['body']));
  const session = find(call, call.params['session_id'] ?? '');
  const { world } = call;
  if (isEnded(session)) {
    if (session.status === 'stopped' && world.faults.has('v3-second-stop-revives')) session.status = 'idle';
    if (world.dialect.secondStop === 409) refuse(world, 409, 'Session has ended');
    return { status: 200, body: sessionView(world, session, 'get') };
  }
  if (!world.faults.has('v3-stop-does-nothing')) halt(call, session, body['strategy'] === 'task');
  return { status: 200, body: sessionView(world, session, 'get') };
}

function halt(call: Call, session: Session, isTaskOnly: boolean): void {
  const { world } = call;
  if (session.status === 'running' && world.faults.has('v3-stop-running-ignored')) return;
  if (session.status === 'idle' && world.faults.has('v3-stop-idle-ignored')) return;
  if (!world.faults.has('v3-stop-keeps-working')) session.work?.stop();
  session.work = null;
  session.updatedAt = now(world);
  session.activeAt = now(world);
  session.status = stateAfterStop(world, session, isTaskOnly);
  if (world.faults.has('v3-stop-succeeds')) session.successful = true;
}

function stateAfterStop(world: World, session: Session, isTaskOnly: boolean): Session['status'] {
  if (world.faults.has('v3-stop-ends-error')) return 'error';
  const isIdleAfter = isTaskOnly && session.status !== 'created' && !world.faults.has('v3-stop-task-stops-session');
  return isIdleAfter || world.faults.has('v3-stop-ends-idle') ? 'idle' : 'stopped';
}

function isEnded(session: Session): boolean {
  return ['stopped', 'timed_out', 'error'].includes(session.status);
}

/** Deletes a session; stops its running task first. */
export function deleteSession(call: Call): Answer {
  requireIds(call);
  const session = find(call, call.params['session_id'] ?? '');
  session.work?.stop();
  if (!call.world.faults.has('v3-delete-does-nothing')) call.project.sessions.delete(session.id);
  return { status: 204 };
}

const messagePage: readonly Field[] = [
  { name: 'after', kind: 'uuid' },
  { name: 'before', kind: 'uuid' },
  { name: 'limit', kind: 'integer', min: 1, max: 100 },
];

/** Lists messages of a session in the order in which they were written. */
export function listMessages(call: Call): Answer {
  requireIds(call);
  const query = readQuery(call, messagePage);
  const { faults } = call.world;
  const session = find(call, call.params['session_id'] ?? '');
  const limit = Number(query['limit'] ?? 10);
  const all = faults.has('v3-messages-reversed') ? session.messages.toReversed() : session.messages;
  const after = all.findIndex((message) => message['id'] === query['after']);
  const before = all.findIndex((message) => message['id'] === query['before']);
  const from = after >= 0 && faults.has('v3-messages-after-inclusive') ? after : after + 1;
  const rest = all.slice(from, before < 0 ? undefined : before);
  const messages = query['after'] === undefined ? rest.slice(-limit) : rest.slice(0, limit);
  if (faults.has('v3-messages-no-human'))
    return { status: 200, body: { messages: withoutHuman(messages), hasMore: false } };
  return { status: 200, body: { messages, hasMore: rest.length > messages.length } };
}

function withoutHuman(messages: readonly Json[]): Json[] {
  return messages.filter((message) => message['role'] !== 'human');
}

/**
 * Replaces those options of an existing session that the body contains, and dispatches a task to the session. Throws a
 * 409 `Refusal` if the session is not idle.
 */
export function followUp(call: Call, body: Json, id: string): Session {
  const { world } = call;
  const session = find(call, id);
  const task = text(body, 'task') ?? '';
  if (!acceptsTask(world, session)) refuse(world, 409, `Session is ${session.status}`);
  session.level = nextLevel(call, session, body);
  replaceOptions(session, body);
  if (!world.faults.has('v3-followup-does-nothing')) beginTask(world, session, task);
  return session;
}

function acceptsTask(world: World, session: Session): boolean {
  if (session.status === 'idle') return true;
  if (session.status === 'running') return world.faults.has('v3-followup-busy-accepted');
  return session.status !== 'created' && world.faults.has('v3-followup-ended-accepted');
}

function replaceOptions(session: Session, body: Json): void {
  if ('keepAlive' in body) session.keepAlive = flag(body, 'keepAlive', false);
  if ('codeMode' in body) session.codeMode = flag(body, 'codeMode', false);
  if ('outputSchema' in body) session.outputSchema = objectIn(body, 'outputSchema');
  if ('maxCostUsd' in body) session.ceiling = ceilingFor(body);
  if ('enableRecording' in body) session.recording = flag(body, 'enableRecording', false);
}

function nextLevel(call: Call, session: Session, body: Json): Level | null {
  const { faults } = call.world;
  if (body['thinkingLevel'] === null) {
    if (faults.has('level-null-keeps')) return session.level;
    return faults.has('level-null-disables') ? 'disabled' : null;
  }
  const given = levels.find((level) => level === body['thinkingLevel']);
  return given === undefined ? keptLevel(call, session) : updatedLevel(call, session, given);
}

function keptLevel(call: Call, session: Session): Level | null {
  const { faults } = call.world;
  if (faults.has('level-omitted-resets')) return null;
  if (session.tasks >= 2 && faults.has('level-lost-at-third-task')) return null;
  return session.level !== null && faults.has('level-omitted-is-high') ? 'high' : session.level;
}

function updatedLevel(call: Call, session: Session, given: Level): Level | null {
  const { faults } = call.world;
  if (faults.has('level-update-ignored')) return session.level;
  if (session.level === null && faults.has('level-update-from-null-ignored')) return null;
  return given === 'disabled' && faults.has('level-disabled-is-null') ? null : given;
}

/** Faults that store a wrong model for a requested name. */
const wrongAliases: Partial<Record<FaultId, Readonly<Record<string, string>>>> = {
  'alias-mini': { 'svc-mini': 'gemini-3.5-flash' },
  'alias-max': { 'svc-max': 'claude-sonnet-4.6' },
  'alias-ultra': { 'svc-ultra': 'claude-opus-4.7' },
  'alias-legacy': { 'claude-sonnet-4.6': 'claude-opus-4.6' },
  'alias-opus48': { 'claude-opus-4.8': 'claude-opus-4.7' },
  'alias-terra': { 'gpt-5.6-terra': 'gpt-5.6-sol' },
  'pl-gpt52-is-54mini': { 'gpt-5.2': 'gpt-5.4-mini' },
  'pl-haiku-is-sonnet5': { 'claude-haiku-4.5': 'claude-sonnet-5' },
  'alias-pro': { 'gemini-3.1-pro': 'gemini-3-pro' },
};

function storedModel(call: Call, asked: string): string {
  for (const [id, names] of call.world.faults.entries(wrongAliases)) {
    const wrong = names[asked];
    if (wrong !== undefined && call.world.faults.has(id)) return wrong;
  }
  return resolveAlias(asked);
}

/** Creates a session and starts its sandbox. */
export function createSession(call: Call, body: Json): Session {
  const { world, project } = call;
  const { faults } = world;
  const asked = text(body, 'model') ?? (faults.has('v3-default-model') ? 'claude-opus-4.8' : 'claude-opus-4.7');
  const at = now(world);
  const id = world.dialect.id();
  const session: Session = {
    id,
    createdAt: at,
    updatedAt: at,
    activeAt: at,
    status: 'created',
    askedModel: asked,
    model: storedModel(call, asked),
    level: levels.find((level) => level === body['thinkingLevel']) ?? null,
    ownKey: flag(body, 'useOwnKey', false),
    keepAlive: flag(body, 'keepAlive', faults.has('v3-keepalive-default-on')),
    codeMode: flag(body, 'codeMode', false),
    outputSchema: objectIn(body, 'outputSchema'),
    recording: flag(body, 'enableRecording', false),
    recordingUrls: [],
    task: null,
    title: null,
    output: null,
    stepCount: 0,
    lastStepSummary: null,
    successful: null,
    profileId: text(body, 'profileId'),
    workspaceId: text(body, 'workspaceId'),
    country: countryFor(call, body),
    ceiling: ceilingFor(body),
    inbox: inboxFor(call, body),
    meters: noMeters(),
    messages: [],
    work: null,
    tasks: 0,
    looks: 0,
  };
  project.sessions.set(id, session);
  startSandbox(world, session, text(body, 'task'));
  return session;
}

function inboxFor(call: Call, body: Json): string | null {
  if (call.world.faults.has('v3-inbox-always')) return 'always@inbox.example';
  return flag(body, 'inbox', true) ? `box${nextSerial(call.world)}@inbox.example` : null;
}

function countryFor(call: Call, body: Json): string | null {
  const { faults } = call.world;
  if (body['proxyCountryCode'] === null) return faults.has('v3-country-null-is-us') ? 'us' : null;
  const asked = text(body, 'proxyCountryCode');
  if (asked !== null && faults.has('v3-country-ignored')) return 'us';
  if (asked === 'uk' && faults.has('v3-country-uk-is-gb')) return 'gb';
  return asked ?? 'us';
}

function ceilingFor(body: Json): number | null {
  const value = body['maxCostUsd'];
  return value === undefined || value === null ? null : Math.round(Number(value) * 1e6);
}
