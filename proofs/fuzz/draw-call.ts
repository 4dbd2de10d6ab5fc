import { answerSchemas } from '#conformance/core/answer-schemas.ts';
import { type JsonObject, type JsonValue, isJsonObject, toText } from '#conformance/core/json.ts';
import { type Operation, allOperations } from '#conformance/core/operations.ts';
import type { Draw } from '../draw.ts';
import { callHeaders } from './call-headers.ts';
import type { CallRequest } from './fuzzed-request.ts';
import { distort, oddBody, utf8 } from './odd-bodies.ts';
import { documents, resolveSchema, schemaValue } from './schema-value.ts';
import { oddText } from './odd-texts.ts';
import { randomUuid } from '#conformance/core/random.ts';
import { valueAt } from '#conformance/core/schemas.ts';
import { knownParameter, knownValue } from './known-value.ts';

/** Methods that may replace the method of an operation. */
const otherMethods = [
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'QUERY',
] as const;

/**
 * Minimum share of generated bodies that are sent without a mutation, so that code after validation is reached often.
 */
const validShare = 0.5;

/** Generates a request to a random operation, valid or mutated. */
export function drawCall(draw: Draw): CallRequest {
  const operation = draw.of(allOperations);
  const { path, isOperation } = callPath(draw, operation);
  const method = draw.chance(0.04) ? draw.of(otherMethods) : operation.method;
  const hasKey = draw.chance(0.95);
  const body = getBody(draw, operation);
  // GET and HEAD have no body here. Any other method may carry a body that the operation does not take.
  const sent = method === 'GET' || method === 'HEAD' ? null : body;
  return {
    kind: 'call',
    operation: isOperation && method === operation.method ? operation.key : null,
    method,
    path,
    headers: callHeaders(draw, { hasKey, hasBody: sent !== null }),
    body: sent,
    hasKey,
  };
}

function getBody(draw: Draw, operation: Operation): string | null {
  const schema = answerSchemas.getSchema(operation, 'request');
  if (schema === undefined) return draw.chance(0.05) ? oddBody(draw) : null;
  if (draw.chance(0.03)) return null;
  if (draw.chance(0.08)) return oddBody(draw);
  const value = valueFor(draw, operation);
  if (draw.chance(validShare)) return utf8(JSON.stringify(value));
  const changed = draw.chance(0.85) ? mutateValue(draw, value) : value;
  const json = JSON.stringify(changed);
  return draw.chance(0.2) ? distort(draw, json) : utf8(json);
}

/** Returns a request body: the example of the operation in its document, or a value drawn from the request schema. */
function valueFor(draw: Draw, operation: Operation): JsonValue {
  const example = draw.chance(0.15) ? answerSchemas.getExample(operation) : undefined;
  if (example !== undefined) return example;
  const schema = answerSchemas.getSchema(operation, 'request') ?? {};
  return schemaValue({ draw, generation: operation.generation }, schema);
}

/** Numbers that are known to cause bugs. */
const numbers = [
  0,
  -0,
  -1,
  0.1,
  1e21,
  1e308,
  -1e308,
  5e-324,
  2 ** 31,
  2 ** 32,
  2 ** 53,
  2 ** 53 + 2,
  2 ** 63,
  100.5,
] as const;

/**
 * Member names that may cause bugs: those of built-in object members, empty names, and misspelled or misplaced names.
 */
const names = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '',
  ' ',
  'task',
  'Task',
  'id',
  '$ref',
  '\u0000',
] as const;

/** Returns the value with one to three changes at random places. */
function mutateValue(draw: Draw, value: JsonValue): JsonValue {
  let changed = value;
  for (let times = draw.between(1, 3); times > 0; times -= 1) changed = mutateOnce(draw, changed);
  return changed;
}

function mutateOnce(draw: Draw, value: JsonValue): JsonValue {
  if (Array.isArray(value) && value.length > 0 && draw.chance(0.8)) return mutateItem(draw, value);
  if (isJsonObject(value) && Object.keys(value).length > 0 && draw.chance(0.9)) return mutateMember(draw, value);
  return anything(draw);
}

function mutateItem(draw: Draw, list: readonly JsonValue[]): JsonValue {
  const at = draw.below(list.length);
  const item = list[at] ?? null;
  const ways: readonly (() => JsonValue[])[] = [
    () => list.toSpliced(at, 1),
    () => list.toSpliced(at, 0, item),
    () => Array.from({ length: draw.of([2, 50, 1000]) }, () => item),
    () => list.toSpliced(at, 1, mutateOnce(draw, item)),
  ];
  return draw.of(ways)();
}

function mutateMember(draw: Draw, object: JsonObject): JsonObject {
  const name = draw.of(Object.keys(object));
  const { [name]: member = null, ...others } = object;
  const ways: readonly (() => JsonObject)[] = [
    () => others,
    () => withMember(others, name.toUpperCase(), member),
    () => withMember(object, draw.of(names), anything(draw)),
    () => withMember(object, name, null),
    () => withMember(object, name, [member]),
    () => withMember(object, name, { [name]: member }),
    () => withMember(object, name, typeof member === 'string' ? Number(member) || 7 : JSON.stringify(member)),
    () => withMember(object, name, anything(draw)),
    () => withMember(object, name, mutateOnce(draw, member)),
    () => withMember(object, name, mutateOnce(draw, member)),
  ];
  return draw.of(ways)();
}

/**
 * Returns a copy of an object with one member added or replaced. Works also for names such as `__proto__`, which an
 * assignment would treat specially.
 */
function withMember(object: JsonObject, name: string, value: JsonValue): JsonObject {
  return Object.fromEntries([...Object.entries(object), [name, value]]);
}

/** Returns a random value of any type. */
function anything(draw: Draw): JsonValue {
  const ways: readonly (() => JsonValue)[] = [
    () => oddText(draw),
    () => oddText(draw),
    () => draw.of(numbers),
    () => draw.of([true, false, null]),
    () => [],
    () => ({}),
    () => draw.list([1, 4], () => draw.of(numbers)),
    () => withMember({}, oddText(draw), oddText(draw)),
  ];
  return draw.of(ways)();
}

/**
 * A path with its query. `isOperation` is false if the path was broken on purpose and may therefore match no operation.
 */
interface CallPath {
  readonly path: string;
  readonly isOperation: boolean;
}

const oddShare = 0.12;
/** Maximum length of a path segment. `draw-raw.ts` tests longer segments, which are rejected before routing. */
const stepMax = 5000;
const brokenShare = 0.03;

/**
 * Returns a path with a query for an operation. Most paths name existing records; a few have unusual parameters, or
 * belong to no operation.
 */
function callPath(draw: Draw, operation: Operation): CallPath {
  const { generation, path: template } = operation;
  const path = template.replaceAll(/\{(\w+)\}/g, (_whole, name: string) =>
    draw.chance(oddShare) ? oddParameter(draw) : knownParameter({ draw, generation }, { name, path: template }),
  );
  const whole = `/api/${generation}${path}`;
  const query = getQuery(draw, operation);
  if (!draw.chance(brokenShare)) return { path: whole + query, isOperation: true };
  return { path: brokenPath(draw, whole) + query, isOperation: false };
}

/** Returns an unusual path segment. It may be empty or incorrectly escaped. */
function oddParameter(draw: Draw): string {
  const ways: readonly (() => string)[] = [
    () => randomUuid(draw.random),
    () => randomUuid(draw.random).toUpperCase(),
    () => encodeURIComponent(oddText(draw).toWellFormed()).slice(0, stepMax) || '-',
    () => draw.of(['%', '%zz', '%ff%fe', '%00', '..%2f..%2f', '%252e', '0', '-1', '9007199254740993', 'null', 'a;b=c']),
    () => '',
  ];
  return draw.of(ways)();
}

function brokenPath(draw: Draw, path: string): string {
  const ways: readonly (() => string)[] = [
    () => `${path}/`,
    () => `${path}/more`,
    () => `/${path}`,
    () => path.replace('/api/', '/API/'),
    () => path.replace('/v', '//v'),
    () => path.replace('/v', '/../v'),
    () => path.replace(/\/v[234]/, '/v9'),
    () => path.split('/').slice(0, -1).join('/') || '/',
    () => `${path};a=b`,
    () => `${path}\\..`,
    () => `/${'a/'.repeat(500)}`,
    () =>
      draw.of([
        '/',
        '/docs',
        '/healthz',
        '/readyz',
        '/openapi/v4.json',
        '/openapi/v9.json',
        '/favicon.ico',
        '/.git/config',
      ]),
    () =>
      draw.of([
        '/files/',
        '/uploads/',
        '/screenshots/',
        '/recordings/',
        '/downloads/',
        '/task-logs/',
        '/share/',
        '/live/',
      ]) + (oddParameter(draw) || '-'),
    () => `/devtools/browser/${oddParameter(draw) || '-'}/json/version`,
  ];
  return draw.of(ways)();
}

function getQuery(draw: Draw, operation: Operation): string {
  const rows = getParameters(operation);
  const parts = rows.filter(() => draw.chance(0.4)).map((row) => drawValue(draw, operation, row));
  if (draw.chance(0.08))
    parts.push(
      `${encodeURIComponent(oddText(draw).toWellFormed())}=${encodeURIComponent(oddText(draw).toWellFormed())}`.slice(
        0,
        2000,
      ),
    );
  if (draw.chance(0.05)) parts.push(...parts.slice(0, 1));
  if (draw.chance(0.02)) parts.push(draw.of(['&&&', '=', '%', '%zz=%zz', 'a[]=1&a[b]=2', '?x', 'limit', '+=+']));
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

function drawValue(draw: Draw, { generation, path }: Operation, { name, schema }: Parameter): string {
  const isFile = name === 'path' && path.endsWith('/files');
  const wanted = isFile
    ? draw.of(['a.txt', 'uploads/a.txt', 'b.txt', 'gone.txt'])
    : (knownValue({ draw, generation }, name) ?? schemaValue({ draw, generation }, schema));
  const value = draw.chance(0.2) ? oddText(draw) : typeof wanted === 'string' ? wanted : JSON.stringify(wanted);
  // A placeholder of an id or cursor stays unescaped.
  const text = value.startsWith('@{') ? value : encodeURIComponent(value.toWellFormed()).slice(0, 3000);
  return `${name}=${text}`;
}

interface Parameter {
  readonly name: string;
  readonly schema: JsonObject;
}

/** Returns the query parameters of an operation, each with its schema. */
function getParameters({ generation, path, method }: Operation): Parameter[] {
  const listed = valueAt(documents[generation], ['paths', path, method.toLowerCase(), 'parameters']);
  const rows = Array.isArray(listed) ? listed.filter(isJsonObject) : [];
  return rows
    .map((row) => resolveSchema(generation, row))
    .filter((row) => row['in'] === 'query')
    .map((row) => ({ name: toText(row['name']), schema: isJsonObject(row['schema']) ? row['schema'] : {} }));
}
