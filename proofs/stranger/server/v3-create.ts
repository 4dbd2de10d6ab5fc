/** Creation of V3 sessions: validation and refusal of the request. */
import type { FaultId } from '../faults/index.ts';
import { type Answer, bodyObject, type Call, flag, type Problem, text } from './call.ts';
import { type Field, memberProblems, requireObject, settle, unknownMembers } from './checks.ts';
import { levelProblem } from './model-params.ts';
import { levels, ownKeyModels, providerFor, resolveAlias, v3Levels } from './tables.ts';
import { createSession, followUp } from './v3-sessions.ts';
import { beginTask } from './v3-life.ts';
import { sessionView } from './v3-view.ts';
import { type Json, now } from './world.ts';

const newerModels = ['grok-4.6', 'glm-5.3-flash', 'deepseek-v4-flash-vision'];

const sessionFields: readonly Field[] = [
  { name: 'task', kind: 'text', nullable: true },
  { name: 'model', kind: 'text', oneOf: [...v3Levels.keys()] },
  { name: 'sessionId', kind: 'uuid', nullable: true },
  { name: 'keepAlive', kind: 'boolean' },
  { name: 'maxCostUsd', kind: 'money', nullable: true },
  { name: 'profileId', kind: 'uuid', nullable: true },
  { name: 'workspaceId', kind: 'uuid', nullable: true },
  { name: 'proxyCountryCode', kind: 'country', nullable: true },
  { name: 'outputSchema', kind: 'object', nullable: true },
  { name: 'enableScheduledTasks', kind: 'boolean' },
  { name: 'sensitiveData', kind: 'object', nullable: true },
  { name: 'enableRecording', kind: 'boolean' },
  { name: 'skills', kind: 'boolean' },
  { name: 'inbox', kind: 'boolean' },
  { name: 'codeMode', kind: 'boolean' },
  { name: 'cacheScript', kind: 'boolean', nullable: true },
  { name: 'useOwnKey', kind: 'boolean' },
  { name: 'use_own_key', kind: 'boolean' },
  { name: 'autoHeal', kind: 'boolean' },
  { name: 'thinkingLevel', kind: 'text', nullable: true, oneOf: levels },
  { name: 'browserScreenWidth', kind: 'integer', nullable: true, min: 320, max: 6144 },
  { name: 'browserScreenHeight', kind: 'integer', nullable: true, min: 320, max: 3456 },
];

/** Faults in which a refused request has a side effect. */
const afterRefusal: Partial<Record<FaultId, (call: Call) => void>> = {
  'v3-refusal-creates': (call) =>
    void createSession(call, { ...bodyObject(call), model: 'claude-opus-4.7', thinkingLevel: null }),
  'v3-refusal-stops-other': (call) => {
    const open = [...call.project.sessions.values()].findLast((session) => session.status === 'idle');
    if (open) open.status = 'stopped';
  },
  'v3-refusal-touches': (call) => {
    const session = call.project.sessions.get(String(bodyObject(call)['sessionId']));
    if (session) session.updatedAt = now(call.world);
  },
  'v3-refusal-sets-level': (call) => {
    const session = call.project.sessions.get(String(bodyObject(call)['sessionId']));
    const level = levels.find((one) => one === bodyObject(call)['thinkingLevel']);
    if (session && level) session.level = level;
  },
  'v3-refusal-starts-task': (call) => {
    const session = call.project.sessions.get(String(bodyObject(call)['sessionId']));
    const task = text(bodyObject(call), 'task');
    if (session?.status === 'idle' && task !== null) beginTask(call.world, session, task);
  },
  'v3-refusal-clears-output': (call) => {
    const session = call.project.sessions.get(String(bodyObject(call)['sessionId']));
    if (session) session.output = null;
  },
};

/** Creates a session, or dispatches a task to an existing session. */
export function postSession(call: Call): Answer {
  const body = requireObject(call);
  try {
    validate(call, body);
  } catch (error) {
    call.world.faults.distort(afterRefusal, call);
    throw error;
  }
  const id = text(body, 'sessionId');
  const session = id === null ? createSession(call, body) : followUp(call, body, id);
  return { status: 200, body: sessionView(call.world, session, 'create') };
}

function validate(call: Call, body: Json): void {
  const { world } = call;
  const fields = world.dialect.newerModels ? withNewerModels(sessionFields) : sessionFields;
  const problems = memberProblems(fields, body, ['body']);
  if (world.dialect.strictBodies) problems.push(...unknownMembers(sessionFields, body, ['body']));
  const isFollowUp = typeof body['sessionId'] === 'string';
  problems.push(...screenProblems(body));
  if (isFollowUp && text(body, 'task') === null && problems.length === 0) {
    problems.push({ loc: ['body', 'task'], msg: 'A task is required with sessionId', type: 'value_error' });
  }
  settle(call, body, problems);
  settle(call, body, pairProblems(call, body));
}

function withNewerModels(fields: readonly Field[]): Field[] {
  return fields.map((field) =>
    field.name === 'model' ? { ...field, oneOf: [...(field.oneOf ?? []), ...newerModels] } : field,
  );
}

function screenProblems(body: Json): Problem[] {
  const [width, height] = [body['browserScreenWidth'] ?? null, body['browserScreenHeight'] ?? null];
  if ((width === null) === (height === null)) return [];
  const loc = ['body', width === null ? 'browserScreenWidth' : 'browserScreenHeight'];
  return [{ loc, msg: 'Width and height go together', type: 'value_error' }];
}

function pairProblems(call: Call, body: Json): Problem[] {
  const { faults } = call.world;
  const session = call.project.sessions.get(String(body['sessionId']));
  const asked = text(body, 'model') ?? 'claude-opus-4.7';
  const checksRequest = session && faults.has('v3-followup-checks-request-model');
  const model = session && !checksRequest ? session.model : resolveAlias(asked);
  const problems: Problem[] = [];
  const level = body['thinkingLevel'];
  const isCounted = level !== undefined && level !== null && !skipsLevel(call, body);
  if (isCounted) {
    const supported = v3Levels.get(model) ?? levels;
    const problem = levelProblem(
      { model, level, supported, generation: 'v3', isFollowUp: session !== undefined },
      faults,
    );
    if (problem) problems.push(problem);
  }
  return session ? problems : [...problems, ...ownKeyProblems(call, body, model)];
}

/** Faults that do not validate the level of some requests. */
const skipsLevelByFault: Partial<Record<FaultId, (body: Json) => boolean>> = {
  'lv3-long-task-unchecked': (body) => (text(body, 'task') ?? '').length > 200,
  'lv3-short-task-unchecked': (body) => (text(body, 'task') ?? '').length < 20,
  'lv3-schema-unchecked': (body) => body['outputSchema'] !== undefined,
  'lv3-keepalive-unchecked': (body) => body['keepAlive'] === true,
  'lv3-ownkey-unchecked': (body) => body['useOwnKey'] === true,
  'lv3-extra-member-unchecked': (body) =>
    Object.keys(body).some((name) => !sessionFields.some((field) => field.name === name)),
  'lv3-no-task-unchecked': (body) => body['task'] === undefined || body['task'] === null,
  'lv3-code-unchecked': (body) => body['codeMode'] === true,
  'lv3-country-unchecked': (body) => 'proxyCountryCode' in body,
  'lv3-ceiling-unchecked': (body) => 'maxCostUsd' in body,
  'lv3-recording-unchecked': (body) => body['enableRecording'] === true,
};

function skipsLevel(call: Call, body: Json): boolean {
  return call.world.faults.some(skipsLevelByFault, body);
}

/** Faults that accept a model without the provider key that it needs. */
const skipsOwnKey: Partial<Record<FaultId, (model: string) => boolean>> = {
  'own-key-not-needed': () => true,
  'own-key-not-needed-gpt52': (model) => model === 'gpt-5.2',
  'own-key-not-needed-mini': (model) => model === 'gpt-5-mini',
  'own-key-not-needed-flash': (model) => model === 'gemini-3.5-flash',
};

function ownKeyProblems(call: Call, body: Json, model: string): Problem[] {
  const { faults } = call.world;
  const usesOwn = flag(body, 'useOwnKey', flag(body, 'use_own_key', false));
  if (usesOwn && faults.has('own-key-always-refused')) return [ownKeyProblem('is not available')];
  if (!usesOwn) {
    const isNeeded = ownKeyModels.has(model) && !faults.some(skipsOwnKey, model);
    return isNeeded ? [ownKeyProblem(`must be true for ${model}`)] : [];
  }
  const isStored = call.project.ownKeys.has(providerFor(model)) || faults.has('own-key-missing-ignored');
  return isStored ? [] : [ownKeyProblem(`needs a stored key of ${providerFor(model)}`)];
}

function ownKeyProblem(words: string): Problem {
  return { loc: ['body', 'useOwnKey'], msg: `useOwnKey ${words}`, type: 'value_error' };
}
