import type { JsonObject } from '#lib/json.ts';
import {
  consoleOutcomes,
  examinationProfiles,
  examinationState,
  examinationSpends,
  scheduleStatuses,
} from '#contract/console-messages.ts';

const text = { type: 'string' };
const uuid = { type: 'string', format: 'uuid' };
const time = { type: 'string', format: 'date-time' };
const micros = { type: 'integer', minimum: 0 };
const count = { type: 'integer', minimum: 0 };
const flag = { type: 'boolean' };
/**
 * Schema that accepts any value, for members with secrets, because an error of a stricter schema would show the secret.
 * The operation validates the secret itself.
 */
const anything: JsonObject = {};
const worker = { enum: ['model', 'offline_planner', 'simulation', 'script'] };
const texts = { type: 'array', items: text };
const orNull = (schema: JsonObject): JsonObject => ({ anyOf: [schema, { type: 'null' }] });
const listSchema = (name: string): JsonObject => ({ type: 'array', items: { $ref: `#/components/schemas/${name}` } });
const body = (schema: JsonObject): JsonObject => ({ content: { 'application/json': { schema } } });
const jsonBody = (name: string): JsonObject => body({ $ref: `#/components/schemas/${name}` });
const answer = (schema: JsonObject): JsonObject => ({ 200: body(schema) });
const jsonResponse = (name: string): JsonObject => answer({ $ref: `#/components/schemas/${name}` });
const nothing: JsonObject = { 204: {} };
const inPath = (name: string, schema: JsonObject): JsonObject => ({ name, in: 'path', required: true, schema });

/** Returns the schema of an object with the members `properties` and no others. Members in `optional` may be absent. */
function exactly(properties: JsonObject, optional: readonly string[] = []): JsonObject {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required, additionalProperties: false };
}

/** Returns the schema of an object with the members `properties` and no others. Each member may be absent. */
function createPartialSchema(properties: JsonObject): JsonObject {
  return exactly(properties, Object.keys(properties));
}

const name = { type: 'string', minLength: 1, maxLength: 100, pattern: String.raw`^[^\p{C}]+$` };
const integrationPath = inPath('integration', { type: 'string', maxLength: 50 });
const secretPath = inPath('secret', { type: 'string', maxLength: 100 });
const providerPath = inPath('provider', { type: 'string', maxLength: 50 });
const sessionsMax = { type: 'integer', minimum: 1, maximum: 100_000 };
const creditMicros = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
const order = exactly({ spend: { enum: [...examinationSpends] }, profile: { enum: [...examinationProfiles] } });

const sessionQuery: JsonObject[] = [
  { name: 'generation', in: 'query', required: true, schema: { enum: ['v2', 'v3', 'v4'] } },
  { name: 'search', in: 'query', schema: { type: 'string', maxLength: 200 } },
  { name: 'outcome', in: 'query', schema: { enum: [...consoleOutcomes] } },
  { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 500, default: 30 } },
];

const workspaceQuery: JsonObject[] = [
  { name: 'search', in: 'query', schema: { type: 'string', maxLength: 200 } },
  { name: 'page', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 1_000_000, default: 1 } },
  { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 } },
];

const login: JsonObject = {
  project: { $ref: '#/components/schemas/Project' },
  isOperator: flag,
  expiresAt: time,
  models: texts,
  countries: texts,
  providers: texts,
  canExamine: flag,
  hasModels: flag,
  maySchedule: flag,
  scheduleModels: texts,
};

const schemas: JsonObject = {
  Entry: exactly({ key: anything, link: anything }, ['key', 'link']),
  Project: exactly({
    id: text,
    name: text,
    creditMicros: orNull(micros),
    spentMicros: micros,
    sessionsMax: orNull(sessionsMax),
    activeMax: count,
    activeCount: count,
    zeroDataRetention: flag,
    timeZone: text,
  }),
  ProjectName: exactly({ id: text, name: text }),
  WantedProject: exactly({ projectId: { type: 'string', maxLength: 100 } }),
  Login: exactly(login),
  NewLogin: exactly({ csrf: text, ...login }),
  Grant: createPartialSchema({
    creditMicros: orNull(creditMicros),
    sessionsMax: orNull(sessionsMax),
    zeroDataRetention: flag,
    timeZone: { type: 'string', maxLength: 100 },
  }),
  Key: exactly({
    id: text,
    prefix: text,
    name: orNull(text),
    state: { enum: ['active', 'expired', 'revoked'] },
    createdAt: time,
    lastUsedAt: orNull(time),
    expiresAt: orNull(time),
    maySchedule: flag,
    monthlyMicros: orNull(micros),
  }),
  WantedKey: createPartialSchema({
    name: orNull(name),
    expiresAt: orNull(time),
    maySchedule: flag,
    monthlyMicros: orNull(creditMicros),
  }),
  NewKey: exactly({ key: text, issued: { $ref: '#/components/schemas/Key' } }),
  ProviderKey: exactly({ provider: text, lastFour: text, createdAt: time }),
  WantedProviderKey: exactly({ key: anything }),
  Integration: exactly({
    name: text,
    description: text,
    transport: { enum: ['stdio', 'http'] },
    secrets: { type: 'array', items: exactly({ name: text, isStored: flag }) },
  }),
  IntegrationTest: exactly({
    tools: { type: 'array', items: exactly({ name: text, description: text }) },
    error: orNull(text),
    tookMs: count,
  }),
  WantedSecret: exactly({ value: anything }),
  Schedule: exactly({
    id: uuid,
    status: { enum: [...scheduleStatuses] },
    task: text,
    cron: orNull(text),
    timeZone: text,
    nextAt: orNull(time),
    model: text,
    proposedBy: orNull(uuid),
    createdAt: time,
    endedAt: orNull(time),
    latest: orNull(exactly({ dueAt: time, startedAt: time, sessionId: orNull(uuid), refusal: orNull(text) })),
  }),
  WantedSchedule: {
    ...exactly(
      {
        task: { type: 'string', minLength: 1, maxLength: 10_000 },
        cron: { type: 'string', maxLength: 100 },
        at: { type: 'string', maxLength: 100 },
        model: { type: 'string', maxLength: 100 },
        useOwnKey: flag,
        workspaceId: orNull(uuid),
        profileId: orNull(uuid),
        maxCostMicros: orNull(creditMicros),
      },
      ['cron', 'at', 'model', 'useOwnKey', 'workspaceId', 'profileId', 'maxCostMicros'],
    ),
    oneOf: [{ required: ['cron'] }, { required: ['at'] }],
  },
  Day: exactly({
    day: text,
    sessions: count,
    browsers: count,
    llmMicros: micros,
    simulatedMicros: micros,
    browserMicros: micros,
    proxyMicros: micros,
  }),
  Costs: exactly({ days: listSchema('Day'), models: listSchema('ModelCost') }),
  ModelCost: exactly({ answeredBy: worker, model: orNull(text), runs: count, llmMicros: micros }),
  Session: exactly({
    id: uuid,
    name: orNull(text),
    status: text,
    outcome: orNull({ enum: [...consoleOutcomes] }),
    reason: orNull(text),
    createdAt: time,
    startedAt: orNull(time),
    endedAt: orNull(time),
  }),
  Sessions: exactly({ sessions: listSchema('Session'), hasMore: flag }),
  Workspace: exactly({ id: uuid, name: orNull(text), createdAt: time, updatedAt: time }),
  Workspaces: exactly({ workspaces: listSchema('Workspace'), total: count }),
  Run: exactly({
    id: uuid,
    outcome: { enum: [...consoleOutcomes] },
    reason: orNull(text),
    answeredBy: orNull(worker),
    startedAt: orNull(time),
    endedAt: orNull(time),
    stepsEndedAt: { type: 'array', items: time },
    llmMicros: micros,
    browserMicros: micros,
    proxyMicros: micros,
  }),
  SessionDetail: exactly({ runs: listSchema('Run'), totalMicros: micros }),
  Picture: exactly({ eventId: count, url: text }),
  Order: order,
  Examination: exactly({
    state: { enum: Object.values(examinationState) },
    order,
    startedAt: time,
    judged: count,
    planned: count,
    requests: count,
    violations: orNull(count),
    passed: orNull(count),
    reportPath: orNull(text),
    reason: orNull(text),
  }),
};

const integrationPaths: JsonObject = {
  '/integrations': { get: { responses: answer(listSchema('Integration')) } },
  '/integrations/{integration}/test': {
    post: { parameters: [integrationPath], responses: jsonResponse('IntegrationTest') },
  },
  '/integrations/{integration}/secrets/{secret}': {
    put: {
      parameters: [integrationPath, secretPath],
      requestBody: { required: true, ...jsonBody('WantedSecret') },
      responses: nothing,
    },
    delete: { parameters: [integrationPath, secretPath], responses: nothing },
  },
};

/**
 * Returns the OpenAPI document of the operations below /console/api, which are not part of the documented API.
 * `costDaysMax` is the maximum number of days of a cost query.
 */
export function consoleDocument(costDaysMax: number): JsonObject {
  const days = { type: 'integer', minimum: 1, maximum: costDaysMax, default: 30 };
  return {
    paths: {
      '/login': {
        get: { responses: jsonResponse('Login') },
        post: { requestBody: { required: true, ...jsonBody('Entry') }, responses: jsonResponse('NewLogin') },
        delete: { responses: nothing },
      },
      '/login/project': {
        put: { requestBody: { required: true, ...jsonBody('WantedProject') }, responses: jsonResponse('Login') },
      },
      '/projects': { get: { responses: answer(listSchema('ProjectName')) } },
      '/project': {
        patch: { requestBody: { required: true, ...jsonBody('Grant') }, responses: jsonResponse('Project') },
      },
      '/costs': {
        get: { parameters: [{ name: 'days', in: 'query', schema: days }], responses: jsonResponse('Costs') },
      },
      '/keys': {
        get: { responses: answer(listSchema('Key')) },
        post: { requestBody: { required: true, ...jsonBody('WantedKey') }, responses: jsonResponse('NewKey') },
      },
      '/keys/{key_id}': { delete: { parameters: [inPath('key_id', text)], responses: jsonResponse('Key') } },
      '/provider-keys': { get: { responses: answer(listSchema('ProviderKey')) } },
      '/provider-keys/{provider}': {
        put: {
          parameters: [providerPath],
          requestBody: { required: true, ...jsonBody('WantedProviderKey') },
          responses: nothing,
        },
        delete: { parameters: [providerPath], responses: nothing },
      },
      ...integrationPaths,
      '/schedules': {
        get: { responses: answer(listSchema('Schedule')) },
        post: { requestBody: { required: true, ...jsonBody('WantedSchedule') }, responses: jsonResponse('Schedule') },
      },
      '/schedules/{schedule_id}': {
        delete: { parameters: [inPath('schedule_id', uuid)], responses: jsonResponse('Schedule') },
      },
      '/schedules/{schedule_id}/confirm': {
        post: { parameters: [inPath('schedule_id', uuid)], responses: jsonResponse('Schedule') },
      },
      '/sessions': { get: { parameters: sessionQuery, responses: jsonResponse('Sessions') } },
      '/sessions/{session_id}': {
        get: { parameters: [inPath('session_id', uuid)], responses: jsonResponse('SessionDetail') },
      },
      '/workspaces': { get: { parameters: workspaceQuery, responses: jsonResponse('Workspaces') } },
      '/runs/{run_id}/pictures': {
        get: { parameters: [inPath('run_id', uuid)], responses: answer(listSchema('Picture')) },
      },
      '/sessions/{session_id}/recordings': {
        get: { parameters: [inPath('session_id', uuid)], responses: answer(texts) },
      },
      '/examination': {
        get: { responses: answer(orNull({ $ref: '#/components/schemas/Examination' })) },
        post: { requestBody: { required: true, ...jsonBody('Order') }, responses: jsonResponse('Examination') },
        delete: { responses: nothing },
      },
      '/examination/report/{ticket}': {
        get: {
          parameters: [inPath('ticket', { type: 'string', maxLength: 100 })],
          responses: { 200: { content: { 'application/json': { schema: text } } } },
        },
      },
    },
    components: { schemas },
  };
}
