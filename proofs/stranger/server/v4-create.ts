/** Creation of V4 runs: validation and refusal of the request. */
import type { FaultId } from '../faults/index.ts';
import { type Answer, bodyObject, type Call, objectIn, type Problem, refuse, text } from './call.ts';
import {
  type Field,
  memberProblems,
  nestedProblems,
  proxy,
  requireObject,
  settle,
  unknownMembers,
  uuidPattern,
} from './checks.ts';
import { paramProblems } from './model-params.ts';
import { isObject } from './outputs.ts';
import { v4Controls } from './tables.ts';
import { cancel, createRun, isOpen, openConversation } from './v4-life.ts';
import type { Conversation, Json } from './world.ts';

const newerModels = ['grok-4.6', 'glm-5.3-flash', 'deepseek-v4-flash-vision'];

const models = [...v4Controls.keys()];

const runFields: readonly Field[] = [
  { name: 'task', kind: 'filled', required: true },
  { name: 'model', kind: 'text', oneOf: models },
  { name: 'sessionId', kind: 'uuid', nullable: true },
  { name: 'workspaceId', kind: 'uuid', nullable: true },
  { name: 'browserSettings', kind: 'object', nullable: true },
  { name: 'attachedFileIds', kind: 'list', nullable: true, max: 20 },
  { name: 'judge', kind: 'object', nullable: true },
  { name: 'maxCostUsd', kind: 'money', nullable: true },
  { name: 'modelParams', kind: 'object', nullable: true },
  { name: 'inbox', kind: 'boolean' },
  { name: 'secretBindings', kind: 'list', nullable: true, max: 10 },
  { name: 'outputSchema', kind: 'object', nullable: true },
];

const judgeFields: readonly Field[] = [{ name: 'context', kind: 'text', nullable: true, max: 10_000 }];

const bindingFields: readonly Field[] = [
  { name: 'alias', kind: 'filled', required: true },
  { name: 'source', kind: 'object', required: true },
  { name: 'allowedDomains', kind: 'list', required: true, min: 1, max: 10 },
];

const sourceFields: readonly Field[] = [
  { name: 'type', kind: 'text', required: true, oneOf: ['inline'] },
  { name: 'value', kind: 'text', required: true, min: 1, max: 4096 },
];

const browserFields: readonly Field[] = [
  { name: 'profileId', kind: 'uuid', nullable: true },
  { name: 'proxyCountryCode', kind: 'country', nullable: true },
  { name: 'customProxy', kind: 'object', nullable: true },
  { name: 'screenWidth', kind: 'integer', nullable: true, min: 320, max: 6144 },
  { name: 'screenHeight', kind: 'integer', nullable: true, min: 320, max: 3456 },
  { name: 'record', kind: 'boolean', nullable: true },
];

/** Faults in which a refused run has a side effect. */
const afterRefusal: Partial<Record<FaultId, (call: Call) => void>> = {
  'v4-refusal-creates-run': (call) => {
    const body = { ...bodyObject(call), task: 'refused', model: 'minimax-m3', modelParams: null, sessionId: null };
    createRun(call, body, openConversation(call, body));
  },
  'v4-refusal-cancels-latest': (call) => {
    const latest = [...call.project.runs.values()].at(-1);
    if (latest) cancel(call.world, latest);
  },
  'v4-refusal-opens-session': (call) => {
    const any = [...call.project.runs.values()].at(0);
    const conversation = openConversation(call, {});
    if (any) conversation.runIds.push(any.id);
  },
};

/** Creates a run in a new session or in a given session. */
export function postRun(call: Call): Answer {
  const { world, project } = call;
  const body = requireObject(call);
  try {
    validate(call, body);
  } catch (error) {
    world.faults.distort(afterRefusal, call);
    throw error;
  }
  const id = text(body, 'sessionId');
  const conversation = id === null ? openConversation(call, body) : continued(call, id);
  const run = createRun(call, body, conversation);
  const other = [...project.runs.values()].find((one) => one !== run);
  const answer: Json = {
    id: run.id,
    status: run.status,
    model: run.model,
    sessionId: run.sessionId,
    workspaceId: run.workspaceId,
    eventsUrl: `${world.url}/api/v4/runs/${run.id}/events`,
    ...(world.dialect.extraMembers ? { object: 'run' } : {}),
  };
  if (world.faults.has('v4-create-without-id')) answer['id'] = undefined;
  if (other && world.faults.has('v4-create-id-other')) answer['id'] = other.id;
  if (world.faults.has('v4-create-id-number')) answer['id'] = 17;
  if (world.faults.has('v4-create-id-unknown')) answer['id'] = world.dialect.id();
  return { status: world.dialect.runCreated, body: answer };
}

function validate(call: Call, body: Json): void {
  const { world } = call;
  const fields = world.dialect.newerModels ? withNewerModels() : runFields;
  const problems = [
    ...closedProblems(fields, body, ['body']),
    ...nested(body, 'browserSettings', browserFields),
    ...nestedProblems(proxy, objectIn(body, 'browserSettings') ?? {}, ['body', 'browserSettings', 'customProxy']),
    ...nested(body, 'judge', judgeFields),
    ...bindingProblems(body),
  ];
  if (Number(body['maxCostUsd'] ?? 1) <= 0) problems.push(problem('maxCostUsd', 'Input should be greater than 0'));
  const attached: unknown[] = Array.isArray(body['attachedFileIds']) ? body['attachedFileIds'] : [];
  if (!attached.every((id) => typeof id === 'string' && uuidPattern.test(id))) {
    problems.push(problem('attachedFileIds', 'Input should be uuids'));
  }
  settle(call, body, problems);
  settle(call, body, paramChecks(call, body));
}

function closedProblems(fields: readonly Field[], body: Json, loc: readonly (string | number)[]): Problem[] {
  return [...memberProblems(fields, body, loc), ...unknownMembers(fields, body, loc)];
}

function nested(body: Json, name: string, fields: readonly Field[]): Problem[] {
  const value = objectIn(body, name);
  return value === null ? [] : closedProblems(fields, value, ['body', name]);
}

function bindingProblems(body: Json): Problem[] {
  const bindings: unknown[] = Array.isArray(body['secretBindings']) ? body['secretBindings'] : [];
  return bindings.flatMap((binding, index) => {
    const loc = ['body', 'secretBindings', index];
    const given = isObject(binding) ? binding : {};
    const source = objectIn(given, 'source') ?? {};
    return [...closedProblems(bindingFields, given, loc), ...closedProblems(sourceFields, source, [...loc, 'source'])];
  });
}

function problem(name: string, msg: string): Problem {
  return { loc: ['body', name], msg, type: 'value_error' };
}

function withNewerModels(): Field[] {
  return runFields.map((field) => (field.name === 'model' ? { ...field, oneOf: [...models, ...newerModels] } : field));
}

/** Faults that do not validate `modelParams` of some requests. */
const skipsParams: Partial<Record<FaultId, (body: Json) => boolean>> = {
  'mp-followup-unchecked': (body) => typeof body['sessionId'] === 'string',
  'mp-short-task-unchecked': (body) => String(body['task']).length < 20,
  'mp-long-task-unchecked': (body) => String(body['task']).length > 200,
  'mp-with-settings-unchecked': (body) => isObject(body['browserSettings']),
  'mp-with-ceiling-unchecked': (body) => 'maxCostUsd' in body,
  'mp-with-judge-unchecked': (body) => isObject(body['judge']),
  'mp-default-model-unchecked': (body) => body['model'] === undefined,
};

function paramChecks(call: Call, body: Json): Problem[] {
  const { world } = call;
  const params = objectIn(body, 'modelParams');
  if (params === null || world.faults.some(skipsParams, body)) return [];
  const model = findFirstModel(call, body) ?? text(body, 'model') ?? 'gpt-5.6-luna';
  if (Object.keys(params).length === 0) {
    if (world.faults.has('mp-empty-refused')) return [problem('modelParams', 'must not be empty')];
    const acceptsNone = Object.keys(v4Controls.get(model) ?? {}).length === 0;
    return world.dialect.refusesEmptyParams && acceptsNone ? [problem('modelParams', `${model} takes none`)] : [];
  }
  return paramProblems(model, params, world.faults);
}

/**
 * With the fault `jt-params-of-first-model`, returns the model of the first run of the request's session if the request
 * names another model. Returns undefined otherwise.
 */
function findFirstModel({ world, project }: Call, body: Json): string | undefined {
  const first = project.conversations.get(String(body['sessionId']))?.runIds[0];
  const model = project.runs.get(first ?? '')?.model;
  return model !== undefined && model !== body['model'] && world.faults.has('jt-params-of-first-model')
    ? model
    : undefined;
}

function continued(call: Call, id: string): Conversation {
  const { world, project } = call;
  const found = project.conversations.get(id) ?? refuse(world, 404, 'Session not found');
  const isBusy = found.runIds.some((one) => isOpen(project.runs.get(one)));
  if (isBusy && !world.faults.has('v4-second-active-run')) refuse(world, 409, 'Session has an active run');
  return world.faults.has('v4-followup-new-session') ? openConversation(call, {}) : found;
}
