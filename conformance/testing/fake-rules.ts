import { modelParams, models, thinkingLevels } from '#generated/rules.ts';
import { type JsonObject, type JsonValue, isJsonObject, toText } from '../core/json.ts';
import { contractSchemas } from '../core/schemas.ts';
import type { Generation } from '../core/target.ts';
import type { Fault } from './faults.ts';

/** One element of a 422 body. */
export interface FakeDetail {
  loc: string[];
  msg: string;
  type: string;
}

/** A response of the fake service. */
export interface Reply {
  status: number;
  body?: JsonValue;
  /** Text body instead of JSON. */
  text?: string;
  headers?: Record<string, string>;
}

/** Response for an unknown path, or for a resource that does not exist or belongs to another project. */
export const notFound: Reply = { status: 404, body: { detail: 'Not Found' } };

/** Returns a response with status 200. */
export function ok(body: JsonValue): Reply {
  return { status: 200, body };
}

/** Creates the refusals of the fake service, in the form that the injected faults give to them. */
export class Refusals {
  private readonly has: Has;

  constructor(has: Has) {
    this.has = has;
  }

  /** Refuses a model and level that the model does not support. */
  refusePair(message: string): Reply {
    return this.has('pair answers 400') ? { status: 400, body: { detail: message } } : this.refuse(message);
  }

  /** Refuses a request with one element in `detail`. */
  refuse(message: string, loc: string[] = ['body']): Reply {
    return this.details([{ loc, msg: message, type: 'value_error' }]);
  }

  /** Refuses a request with these elements in `detail`. */
  details(details: readonly FakeDetail[]): Reply {
    if (this.has('detail is text')) return { status: 422, body: { detail: details.map(({ msg }) => msg).join('; ') } };
    const elements = details.map(({ loc, msg, type }) => ({
      loc: this.locate(loc),
      ...(this.has('msg missing') ? {} : { msg }),
      ...(this.has('type missing') ? {} : { type }),
    }));
    return { status: 422, body: { detail: elements } };
  }

  private locate(loc: string[]): JsonValue {
    if (this.has('loc is empty')) return [];
    if (this.has('loc is an empty name')) return [''];
    return this.has('loc is text') ? loc.join('.') : loc;
  }
}

const allLevels = ['disabled', 'low', 'medium', 'high'];

type Has = (fault: Fault) => boolean;

/** Returns the reason why V2 or V3 refuses the model and level of a body; undefined if they are accepted. */
export function levelProblem(generation: 'v2' | 'v3', body: JsonObject, has: Has): string | undefined {
  const model = toText(body[generation === 'v2' ? 'llm' : 'model'] ?? models[generation].default.model);
  const level = toText(body['thinkingLevel'] ?? '');
  const rows: readonly { model: string; levels: readonly string[] }[] = thinkingLevels[generation];
  const supported = rows.find((row) => row.model === model)?.levels;
  if (supported === undefined || level === '' || supported.includes(level)) return undefined;
  if (acceptances.some(({ fault, when }) => has(fault) && when({ generation, model, level, body }))) return undefined;
  return levelText({ model, level, supported }, has);
}

function levelText(
  { model, level, supported }: { model: string; level: string; supported: readonly string[] },
  has: Has,
): string {
  const listed = has('wrong level list') ? allLevels : supported;
  const list = listed.join(has('levels separated by semicolons') ? '; ' : ', ');
  const member = has('field named in camel case') ? 'thinkingLevel' : 'thinking_level';
  const provider = has('provider is null') ? 'null' : 'any';
  return `Model "${model}" (provider "${provider}") does not support ${member}="${level}". Supported values: ${list}`;
}

interface Pair {
  generation: 'v2' | 'v3';
  model: string;
  level: string;
  body: JsonObject;
}

/** Faults that accept an unsupported pair. */
const acceptances: readonly { fault: Fault; when: (pair: Pair) => boolean }[] = [
  { fault: 'unknown level accepted', when: ({ level }) => !allLevels.includes(level) },
  { fault: 'one V3 cell accepted', when: (pair) => isCell(pair, 'v3 glm-5.2 medium') },
  { fault: 'one V2 cell accepted', when: (pair) => isCell(pair, 'v2 o3 disabled') },
  {
    fault: 'own-key matrix differs',
    when: ({ model, body }) => model === 'gemini-3-pro' && body['useOwnKey'] === true,
  },
  {
    fault: 'V2 level not checked in a session',
    when: ({ generation, body }) => generation === 'v2' && body['sessionId'] !== undefined,
  },
  { fault: 'thinking replaces level', when: ({ body }) => body['thinking'] === true },
];

function isCell({ generation, model, level }: Pair, cell: string): boolean {
  return `${generation} ${model} ${level}` === cell;
}

/** A leaf of modelParams: the model, the path from modelParams down, and the value. */
interface Leaf {
  model: string;
  path: string;
  value: string;
}

/** Returns the reason why modelParams are refused, with its location; undefined if they are accepted. */
export function paramProblem(body: JsonObject, has: Has): { text: string; loc: string[] } | undefined {
  const model = toText(body['model']);
  const all = leaves(body['modelParams'] ?? null, '').map(([path, value]) => ({ model, path, value: toText(value) }));
  if (all.some(({ value }) => value === 'null') && has('null in modelParams ends their check')) return undefined;
  const front = has('only the first leaf of modelParams is checked') ? all.slice(0, 1) : all;
  const checked = has('only the last leaf of modelParams is checked') ? all.slice(-1) : front;
  const wrong = checked.filter((leaf) => !isAcceptedLeaf(leaf, has));
  const [first] = wrong;
  if (first === undefined) return undefined;
  const right = all.find((leaf) => !wrong.includes(leaf)) ?? first;
  const located = has('loc names another leaf of modelParams') ? right : first;
  const loc = has('loc names a valid member of the run') ? ['task'] : ['modelParams', ...located.path.split('.')];
  return { text: leafText(has('valid leaf of modelParams is blamed') ? right : first, has), loc: ['body', ...loc] };
}

function supportedValues({ model, path }: Leaf): readonly string[] {
  const rows: readonly { model: string; path: string; values: readonly string[] }[] = modelParams.matrix;
  return rows.find((row) => row.model === model && row.path === path)?.values ?? [];
}

function isAcceptedLeaf(leaf: Leaf, has: Has): boolean {
  const { model, path, value } = leaf;
  const own = modelParams.matrix.filter((row) => row.model === model);
  // An object as the value of a path is no foreign path.
  const isForeign = own.length > 0 && !own.some((row) => path === row.path || path.startsWith(`${row.path}.`));
  const acceptedBy: readonly (readonly [Fault, boolean])[] = [
    ['foreign path accepted', isForeign],
    ['object as an effort accepted', path.startsWith('reasoning.effort.')],
    ['one V4 value accepted', model === 'gpt-5.5' && value === 'max'],
  ];
  return supportedValues(leaf).includes(value) || acceptedBy.some(([fault, holds]) => holds && has(fault));
}

function leafText(leaf: Leaf, has: Has): string {
  const { model, path, value } = leaf;
  const supported = supportedValues(leaf);
  const list = (has('V4 list unsorted') ? supported : supported.toSorted()).join(', ');
  const quote = has('V4 double quotes') ? '"' : "'";
  return `Model "${model}" does not support modelParams.${path}=${quote}${value}${quote}. Supported values: ${list}`;
}

/** Returns the refusal that an injected fault gives to a valid V2 task; undefined without such a fault. */
export function taskFault(body: JsonObject, has: Has): string | undefined {
  const level = body['thinkingLevel'];
  const older = body['llm'] === 'claude-sonnet-4-20250514' && level === 'disabled';
  const refusals: readonly (readonly [Fault, boolean])[] = [
    ['V2 creation refused', true],
    ['V2 thinking refused', body['thinking'] === true],
    ['V2 null level refused', level === null],
    ['V2 missing level refused', level === undefined],
    ['one V2 acceptance refused', body['llm'] === 'o3' && level === 'high'],
    ['V2 older claude refused', older],
  ];
  return refusals.find(([fault, holds]) => has(fault) && holds)?.[0];
}

/** Returns the refusal that an injected fault gives to a valid V4 run; undefined without such a fault. */
export function runFault(body: JsonObject, has: Has): string | undefined {
  const params = body['modelParams'];
  const refusals: readonly (readonly [Fault, boolean])[] = [
    ['V4 creation refused', true],
    ['empty params refused', JSON.stringify(params) === '{}'],
    ['missing params refused', params === undefined],
    ['one V4 acceptance refused', JSON.stringify(params) === '{"reasoning":{"effort":"max"}}'],
    ['one V4 model refused', body['model'] === 'kimi-k3'],
  ];
  return refusals.find(([fault, holds]) => has(fault) && holds)?.[0];
}

const generationByOperation: Readonly<Record<string, Generation>> = { createTask: 'v2', createSession: 'v3' };

/** Returns the schema problems of a body, except for members whose validation an injected fault skips. */
export function shapeProblems(operation: string, body: JsonObject, has: Has): FakeDetail[] {
  const tolerated = Object.fromEntries(
    Object.entries(body).filter(([member, value]) => !isTolerated(`${operation} ${member}`, value, has)),
  );
  const required =
    operation === 'createRun' && has('run without task accepted') && !('task' in body) ? { task: '' } : {};
  const problems = contractSchemas.requestProblems(generationByOperation[operation] ?? 'v4', operation, {
    ...tolerated,
    ...required,
  });
  const country = tolerated['proxyCountryCode'];
  if (operation === 'createSession' && country !== undefined && country !== null) {
    problems.push(...contractSchemas.componentProblems('v4', 'ProxyCountryCode', country));
  }
  const ceiling = tolerated['maxCostUsd'];
  if (ceiling !== undefined && !/^\d+(\.\d+)?$/.test(toText(ceiling))) problems.push('maxCostUsd is no decimal string');
  return problems.map((msg) => ({ loc: ['body'], msg, type: 'value_error' }));
}

/** Faults that skip the validation of a member. */
const tolerances: readonly { fault: Fault; members: readonly string[]; when?: (value: JsonValue) => boolean }[] = [
  {
    fault: 'ceiling with an exponent shown as sent',
    members: ['createSession maxCostUsd'],
    when: (value) => value === '5e-2',
  },
  { fault: 'unknown model accepted', members: ['createSession model', 'createRun model'] },
  {
    fault: 'unknown level accepted',
    members: ['createSession thinkingLevel', 'createTask thinkingLevel'],
    when: isWord,
  },
  { fault: 'empty level accepted', members: ['createSession thinkingLevel'], when: (value) => value === '' },
  { fault: 'V2 types not checked', members: ['createTask task', 'createTask llm'] },
  { fault: 'modelParams as text accepted', members: ['createRun modelParams'] },
  { fault: 'boolean as text accepted', members: ['createSession keepAlive'] },
  { fault: 'unknown country accepted', members: ['createSession proxyCountryCode', 'createBrowser proxyCountryCode'] },
  {
    fault: 'upper-case country accepted',
    members: ['createSession proxyCountryCode', 'createBrowser proxyCountryCode'],
    when: (value) => /[A-Z]/.test(toText(value)),
  },
];

function isTolerated(member: string, value: JsonValue, has: Has): boolean {
  return tolerances.some(
    ({ fault, members, when = () => true }) => has(fault) && members.includes(member) && when(value),
  );
}

function isWord(value: JsonValue): boolean {
  return typeof value === 'string' && /^[\w-]+$/.test(value);
}

function leaves(value: JsonValue, path: string): [string, JsonValue][] {
  if (!isJsonObject(value)) return path === '' ? [] : [[path, value]];
  return Object.entries(value).flatMap(([name, inner]) => leaves(inner, path === '' ? name : `${path}.${name}`));
}
