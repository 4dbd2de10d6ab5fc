/**
 * Validation of requests: tables of the members of bodies and queries, and the 422 that names the problems. An active
 * fault can remove problems before the 422 is sent.
 */
import type { FaultId } from '../faults/index.ts';
import { Invalid, type Call, type Problem } from './call.ts';
import { countries, v2Levels } from './tables.ts';
import type { Json } from './world.ts';

/** Kind of value that a member must have. */
export type Kind =
  | 'text'
  | 'filled'
  | 'boolean'
  | 'integer'
  | 'uuid'
  | 'object'
  | 'country'
  | 'money'
  | 'labels'
  | 'list'
  | 'date'
  | 'any';

/** One member of a body or a query. */
export interface Field {
  readonly name: string;
  readonly kind: Kind;
  readonly required?: boolean;
  readonly nullable?: boolean;
  readonly oneOf?: readonly string[];
  readonly min?: number;
  readonly max?: number;
}

/** A UUID with digits in lower or upper case. */
export const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const moneyPattern = /^[+-]?(\d+\.?\d*|\.\d+)$/;

/** An invalid request with one of its problems, from which a fault decides whether to ignore the problem. */
export interface Found {
  readonly call: Call;
  readonly problem: Problem;
  readonly value: unknown;
  readonly body: Json;
}

const shapes: Readonly<Record<Kind, (value: unknown) => string | null>> = {
  text: (value) => (typeof value === 'string' ? null : 'a string'),
  filled: (value) => (typeof value === 'string' && value.length > 0 ? null : 'a string that is not empty'),
  boolean: (value) => (typeof value === 'boolean' ? null : 'a boolean'),
  integer: (value) => (Number.isInteger(value) ? null : 'an integer'),
  uuid: (value) => (typeof value === 'string' && uuidPattern.test(value) ? null : 'a uuid'),
  object: (value) => (typeof value === 'object' && value !== null && !Array.isArray(value) ? null : 'an object'),
  country: (value) => (typeof value === 'string' && countries.has(value) ? null : 'a country code'),
  money: (value) => (isMoney(value) ? null : 'a number or decimal string'),
  labels: (value) => (isLabels(value) ? null : 'at most 10 pairs of strings'),
  list: (value) => (Array.isArray(value) ? null : 'an array'),
  date: (value) => (typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? null : 'a date-time'),
  any: () => null,
};

/** Validates the members of an object and returns the problems. */
export function memberProblems(fields: readonly Field[], body: Json, at: readonly (string | number)[]): Problem[] {
  return fields.flatMap((field) => {
    const loc = [...at, field.name];
    const value = body[field.name];
    if (value === undefined) return field.required ? [{ loc, msg: 'Field required', type: 'missing' }] : [];
    if (value === null && field.nullable) return [];
    const wrong = shapes[field.kind](value) ?? boundBroken(field, value);
    return wrong === null ? [] : [{ loc, msg: `Input should be ${wrong}`, type: `${field.kind}_type` }];
  });
}

/** Members of a custom proxy. */
export const proxy: readonly Field[] = [
  { name: 'host', kind: 'text', required: true, min: 1, max: 255 },
  { name: 'port', kind: 'integer', required: true, min: 1, max: 65_535 },
  { name: 'username', kind: 'text', nullable: true, min: 1, max: 255 },
  { name: 'password', kind: 'text', nullable: true, min: 1, max: 255 },
  { name: 'ignoreCertErrors', kind: 'boolean' },
];

/** Validates an object within a body and returns the problems; none when the member is absent or not an object. */
export function nestedProblems(fields: readonly Field[], body: Json, loc: readonly [string, ...string[]]): Problem[] {
  const value = body[loc.at(-1) ?? ''];
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? memberProblems(fields, { ...value }, loc) : [];
}

/** Returns a problem for each member without a field definition. */
export function unknownMembers(fields: readonly Field[], body: Json, at: readonly (string | number)[]): Problem[] {
  const names = new Set(fields.map((field) => field.name));
  return Object.keys(body)
    .filter((name) => !names.has(name))
    .map((name) => ({ loc: [...at, name], msg: 'Extra inputs are not permitted', type: 'extra_forbidden' }));
}

/** Returns the body as an object. An absent optional body is an empty object. Throws `Invalid` for any other body. */
export function requireObject(call: Call, isOptional = false): Json {
  if (call.body === undefined && isOptional) return {};
  if (typeof call.body === 'object' && call.body !== null && !Array.isArray(call.body)) return { ...call.body };
  const msg = call.body === undefined ? 'A body is required' : 'Input should be an object';
  throw new Invalid([{ loc: ['body'], msg, type: 'model_type' }]);
}

/**
 * Throws `Invalid` with the problems that remain after active faults have removed some; does nothing if none remains.
 */
export function settle(call: Call, body: Json, problems: readonly Problem[]): void {
  const left = problems.filter((problem) => {
    const name = problem.loc[1];
    const found = { call, problem, body, value: typeof name === 'string' ? body[name] : undefined };
    return !call.world.faults.some(leniences, found);
  });
  if (left.length > 0) throw new Invalid(left);
}

/**
 * Returns the query parameters that `fields` defines as numbers, booleans and texts; ignores other parameters. Throws
 * `Invalid` for an invalid value.
 */
export function readQuery(call: Call, fields: readonly Field[]): Json {
  const given: Json = {};
  for (const field of fields) {
    const value = call.query.get(field.name);
    if (value !== null) given[field.name] = field.kind === 'integer' ? asInteger(value) : asBoolean(field, value);
  }
  settle(call, given, memberProblems(fields, given, ['query']));
  return given;
}

/**
 * Throws `Invalid` if a path parameter other than `message_id` is not a UUID, unless an active fault accepts the value.
 */
export function requireIds(call: Call): void {
  const problems = Object.entries(call.params)
    .filter(([name, value]) => name !== 'message_id' && !uuidPattern.test(value))
    .map(([name]) => ({ loc: ['path', name], msg: 'Input should be a valid UUID', type: 'uuid_parsing' }));
  settle(call, {}, problems);
}

function asInteger(value: string): unknown {
  return /^-?\d{1,12}$/.test(value) ? Number(value) : value;
}

function asBoolean(field: Field, value: string): unknown {
  if (field.kind !== 'boolean') return value;
  return value === 'true' || value === 'false' ? value === 'true' : value;
}

function boundBroken(field: Field, value: unknown): string | null {
  if (field.oneOf && !field.oneOf.includes(String(value))) return `one of ${field.oneOf.join(', ')}`;
  const size = sizeFor(value);
  if (size === null) return null;
  if (field.min !== undefined && size < field.min) return `at least ${field.min}`;
  return field.max !== undefined && size > field.max ? `at most ${field.max}` : null;
}

function sizeFor(value: unknown): number | null {
  if (typeof value === 'number') return value;
  return typeof value === 'string' || Array.isArray(value) ? value.length : null;
}

function isMoney(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0;
  return typeof value === 'string' && moneyPattern.test(value) && Number(value) >= 0;
}

function isLabels(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const values: unknown[] = Object.values(value);
  return values.length <= 10 && values.every((entry) => typeof entry === 'string');
}

function concerns(found: Found, operation: string, ...loc: string[]): boolean {
  return found.call.operation === operation && loc.every((part, index) => found.problem.loc[index] === part);
}

/** Faults that accept invalid requests: each function returns whether its fault ignores the found problem. */
const leniences: Partial<Record<FaultId, (found: Found) => boolean>> = {
  'len-v3-id-prefix': (f) => concerns(f, 'v3.get', 'path') && pathId(f).startsWith('0'),
  'len-v3-id-any': (f) => concerns(f, 'v3.get', 'path'),
  'len-v3-id-long': (f) => concerns(f, 'v3.get', 'path') && pathId(f).length > 36,
  'len-v3-id-no-dashes': (f) => concerns(f, 'v3.get', 'path') && /^[0-9a-f]{32}$/i.test(pathId(f)),
  'len-v4-browser-id-any': (f) => concerns(f, 'v4.patchBrowser', 'path'),
  'len-v3-model-any': (f) => concerns(f, 'v3.create', 'body', 'model'),
  'len-v3-model-null': (f) => concerns(f, 'v3.create', 'body', 'model') && f.value === null,
  'len-v3-model-case': (f) =>
    concerns(f, 'v3.create', 'body', 'model') && typeof f.value === 'string' && /[A-Z]/.test(f.value),
  'len-v3-model-empty': (f) => concerns(f, 'v3.create', 'body', 'model') && f.value === '',
  'len-v3-model-prefix': (f) => concerns(f, 'v3.create', 'body', 'model') && String(f.value).startsWith('gpt'),
  'len-v3-level-any': (f) => concerns(f, 'v3.create', 'body', 'thinkingLevel'),
  'len-v3-level-case': (f) =>
    concerns(f, 'v3.create', 'body', 'thinkingLevel') && String(f.value) !== String(f.value).toLowerCase(),
  'len-v3-level-xhigh': (f) => concerns(f, 'v3.create', 'body', 'thinkingLevel') && f.value === 'xhigh',
  'len-v3-level-minimal': (f) => concerns(f, 'v3.create', 'body', 'thinkingLevel') && f.value === 'minimal',
  'len-v3-level-number': (f) => concerns(f, 'v3.create', 'body', 'thinkingLevel') && typeof f.value === 'number',
  'len-v3-level-list': (f) => concerns(f, 'v3.create', 'body', 'thinkingLevel') && Array.isArray(f.value),
  'len-v3-level-empty': (f) => concerns(f, 'v3.create', 'body', 'thinkingLevel') && f.value === '',
  'len-v3-country-any': (f) => concerns(f, 'v3.create', 'body', 'proxyCountryCode'),
  'len-v3-country-upper': (f) =>
    concerns(f, 'v3.create', 'body', 'proxyCountryCode') && /^[A-Z]{2}$/.test(String(f.value)),
  'len-v3-country-ci': (f) => concerns(f, 'v3.create', 'body', 'proxyCountryCode') && f.value === 'ci',
  'len-v3-country-gb': (f) => concerns(f, 'v3.create', 'body', 'proxyCountryCode') && f.value === 'gb',
  'len-v3-country-long': (f) => concerns(f, 'v3.create', 'body', 'proxyCountryCode') && String(f.value).length > 2,
  'len-v3-schema-text': (f) => concerns(f, 'v3.create', 'body', 'outputSchema') && typeof f.value === 'string',
  'len-v3-schema-list': (f) => concerns(f, 'v3.create', 'body', 'outputSchema') && Array.isArray(f.value),
  'len-v3-keepalive-text': (f) => concerns(f, 'v3.create', 'body', 'keepAlive') && typeof f.value === 'string',
  'len-v3-keepalive-number': (f) => concerns(f, 'v3.create', 'body', 'keepAlive') && typeof f.value === 'number',
  'len-v3-code-text': (f) => concerns(f, 'v3.create', 'body', 'codeMode') && typeof f.value === 'string',
  'len-v3-recording-text': (f) => concerns(f, 'v3.create', 'body', 'enableRecording') && typeof f.value === 'string',
  'len-v3-ownkey-text': (f) => concerns(f, 'v3.create', 'body', 'useOwnKey') && typeof f.value === 'string',
  'len-v3-task-number': (f) => concerns(f, 'v3.create', 'body', 'task') && typeof f.value === 'number',
  'len-v3-task-object': (f) => concerns(f, 'v3.create', 'body', 'task') && typeof f.value === 'object',
  'len-v3-ceiling-text': (f) => concerns(f, 'v3.create', 'body', 'maxCostUsd') && typeof f.value === 'string',
  'len-v3-ceiling-object': (f) => concerns(f, 'v3.create', 'body', 'maxCostUsd') && typeof f.value === 'object',
  'len-v3-profile-any': (f) => concerns(f, 'v3.create', 'body', 'profileId'),
  'len-v3-session-id-any': (f) => concerns(f, 'v3.create', 'body', 'sessionId'),
  'len-v3-followup-without-task': (f) => concerns(f, 'v3.create', 'body', 'task') && f.problem.type === 'value_error',
  'len-v3-width-any': (f) => concerns(f, 'v3.create', 'body', 'browserScreenWidth'),
  'len-v3-page-any': (f) => concerns(f, 'v3.list', 'query'),
  'len-v2-model-any': (f) => concerns(f, 'v2.create', 'body', 'llm'),
  'len-v2-model-v3-name': (f) => concerns(f, 'v2.create', 'body', 'llm') && f.value === 'claude-opus-4.7',
  'len-v2-level-any': (f) => concerns(f, 'v2.create', 'body', 'thinkingLevel'),
  'len-v2-level-case': (f) => concerns(f, 'v2.create', 'body', 'thinkingLevel') && /[A-Z]/.test(String(f.value)),
  'len-v2-level-number': (f) => concerns(f, 'v2.create', 'body', 'thinkingLevel') && typeof f.value === 'number',
  'len-v2-level-true': (f) => concerns(f, 'v2.create', 'body', 'thinkingLevel') && typeof f.value === 'boolean',
  'len-v2-thinking-text': (f) => concerns(f, 'v2.create', 'body', 'thinking') && typeof f.value === 'string',
  'len-v2-thinking-level-word': (f) => concerns(f, 'v2.create', 'body', 'thinking') && f.value === 'high',
  'len-v2-thinking-number': (f) => concerns(f, 'v2.create', 'body', 'thinking') && typeof f.value === 'number',
  'len-v2-task-missing': (f) => concerns(f, 'v2.create', 'body', 'task') && f.value === undefined,
  'len-v2-task-number': (f) => concerns(f, 'v2.create', 'body', 'task') && typeof f.value === 'number',
  'len-v2-task-empty': (f) => concerns(f, 'v2.create', 'body', 'task') && f.value === '',
  'len-v2-steps-any': (f) => concerns(f, 'v2.create', 'body', 'maxSteps'),
  'len-v4-task-missing': (f) => concerns(f, 'v4.create', 'body', 'task') && f.value === undefined,
  'len-v4-task-null': (f) => concerns(f, 'v4.create', 'body', 'task') && f.value === null,
  'len-v4-task-empty': (f) => concerns(f, 'v4.create', 'body', 'task') && f.value === '',
  'len-v4-task-number': (f) => concerns(f, 'v4.create', 'body', 'task') && typeof f.value === 'number',
  'len-v4-task-list': (f) => concerns(f, 'v4.create', 'body', 'task') && Array.isArray(f.value),
  'len-v4-model-number': (f) => concerns(f, 'v4.create', 'body', 'model') && typeof f.value === 'number',
  'len-v4-model-any': (f) => concerns(f, 'v4.create', 'body', 'model'),
  'len-v4-params-text': (f) => concerns(f, 'v4.create', 'body', 'modelParams') && typeof f.value === 'string',
  'len-v4-params-list': (f) => concerns(f, 'v4.create', 'body', 'modelParams') && Array.isArray(f.value),
  'len-v4-params-true': (f) => concerns(f, 'v4.create', 'body', 'modelParams') && typeof f.value === 'boolean',
  'len-v4-level-accepted': (f) => concerns(f, 'v4.create', 'body', 'thinkingLevel'),
  'len-v4-unknown-member': (f) => f.call.operation === 'v4.create' && f.problem.type === 'extra_forbidden',
  'len-v4-ceiling-zero': (f) => concerns(f, 'v4.create', 'body', 'maxCostUsd') && f.value === 0,
  'len-br-country-any': (f) => concerns(f, 'v4.createBrowser', 'body', 'proxyCountryCode'),
  'len-br-country-upper': (f) =>
    concerns(f, 'v4.createBrowser', 'body', 'proxyCountryCode') && /^[A-Z]{2}$/.test(String(f.value)),
  'len-br-country-ci': (f) => concerns(f, 'v4.createBrowser', 'body', 'proxyCountryCode') && f.value === 'ci',
  'len-br-country-number': (f) =>
    concerns(f, 'v4.createBrowser', 'body', 'proxyCountryCode') && typeof f.value === 'number',
  'len-br-country-empty': (f) => concerns(f, 'v4.createBrowser', 'body', 'proxyCountryCode') && f.value === '',
  'len-br-action-any': (f) => concerns(f, 'v4.patchBrowser', 'body', 'action') && f.value !== undefined,
  'len-br-action-case': (f) =>
    concerns(f, 'v4.patchBrowser', 'body', 'action') && String(f.value).toLowerCase() === 'stop',
  'len-br-action-list': (f) => concerns(f, 'v4.patchBrowser', 'body', 'action') && Array.isArray(f.value),
  'len-br-action-missing': (f) => concerns(f, 'v4.patchBrowser', 'body', 'action') && f.value === undefined,
  'ef-v2-level-list': (f) => concerns(f, 'v2.create', 'body', 'thinkingLevel') && Array.isArray(f.value),
  'ef-v2-level-padded': (f) => concerns(f, 'v2.create', 'body', 'thinkingLevel') && isPadded(f.value),
  'ef-v2-level-empty': (f) => concerns(f, 'v2.create', 'body', 'thinkingLevel') && f.value === '',
  'ef-v2-model-case': (f) => concerns(f, 'v2.create', 'body', 'llm') && /[A-Z]/.test(String(f.value)),
  'ef-v2-model-prefix': (f) =>
    concerns(f, 'v2.create', 'body', 'llm') && [...v2Levels.keys()].some((name) => String(f.value).startsWith(name)),
  'ef-v2-model-padded': (f) => concerns(f, 'v2.create', 'body', 'llm') && isPadded(f.value),
  'ef-v2-task-list': (f) => concerns(f, 'v2.create', 'body', 'task') && Array.isArray(f.value),
  'ef-v4-task-boolean': (f) => concerns(f, 'v4.create', 'body', 'task') && typeof f.value === 'boolean',
  'ef-v4-task-object': (f) => concerns(f, 'v4.create', 'body', 'task') && isPlainObject(f.value),
  'ef-v4-model-list': (f) => concerns(f, 'v4.create', 'body', 'model') && Array.isArray(f.value),
  'ef-v4-follow-up-without-task': (f) =>
    concerns(f, 'v4.create', 'body', 'task') && f.value === undefined && typeof f.body['sessionId'] === 'string',
  'ef-br-country-list': (f) => concerns(f, 'v4.createBrowser', 'body', 'proxyCountryCode') && Array.isArray(f.value),
  'ef-br-country-padded': (f) => concerns(f, 'v4.createBrowser', 'body', 'proxyCountryCode') && isPadded(f.value),
  'ef-br-country-gb': (f) => concerns(f, 'v4.createBrowser', 'body', 'proxyCountryCode') && f.value === 'gb',
  'ef-br-country-false': (f) => concerns(f, 'v4.createBrowser', 'body', 'proxyCountryCode') && f.value === false,
  'ef-br-action-null': (f) => concerns(f, 'v4.patchBrowser', 'body', 'action') && f.value === null,
  'ef-br-action-padded': (f) => concerns(f, 'v4.patchBrowser', 'body', 'action') && isPadded(f.value),
  'len-br-timeout-zero': (f) => concerns(f, 'v4.createBrowser', 'body', 'timeout'),
};

function isPadded(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && value.trim() !== value;
}

function isPlainObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function pathId(found: Found): string {
  return Object.values(found.call.params)[0] ?? '';
}
