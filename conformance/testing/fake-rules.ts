import { modelParams, models, thinkingLevels } from '#generated/rules.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '../harness/json.ts';
import { contractSchemas } from '../harness/schemas.ts';
import type { Fault } from './faults.ts';

/** One element of a 422 body. */
export interface FakeDetail {
  loc: string[];
  msg: string;
  type: string;
}

const allLevels = ['disabled', 'low', 'medium', 'high'];

type Has = (fault: Fault) => boolean;

/** Why a V2 or V3 pair is refused; undefined when it is supported. */
export function levelProblem(generation: 'v2' | 'v3', body: JsonObject, has: Has): string | undefined {
  const model = String(body[generation === 'v2' ? 'llm' : 'model'] ?? models[generation].default.model);
  const level = body['thinkingLevel'];
  const rows: readonly { model: string; levels: readonly string[] }[] = thinkingLevels[generation];
  const supported = rows.find((row) => row.model === model)?.levels;
  if (supported === undefined || typeof level !== 'string' || supported.includes(level)) return undefined;
  if (has('unknown level accepted') && !allLevels.includes(level)) return undefined;
  if (isFlipped(`${generation} ${model} ${level}`, has)) return undefined;
  if (generation === 'v3' && has('own-key matrix differs') && body['useOwnKey'] === true && model === 'gemini-3-pro') return undefined;
  if (generation === 'v2' && has('thinking replaces level') && body['thinking'] === true) return undefined;
  const listed = has('wrong level list') ? allLevels : supported;
  const list = listed.join(has('levels separated by semicolons') ? '; ' : ', ');
  const member = has('field named in camel case') ? 'thinkingLevel' : 'thinking_level';
  return `Model "${model}" (provider "any") does not support ${member}="${level}". Supported values: ${list}`;
}

function isFlipped(cell: string, has: Has): boolean {
  if (has('one V3 cell accepted') && cell === 'v3 glm-5.2 medium') return true;
  return has('one V2 cell accepted') && cell === 'v2 o3 disabled';
}

/** Why modelParams are refused; undefined when they are supported. */
export function paramProblem(body: JsonObject, has: Has): string | undefined {
  const rows: readonly { model: string; path: string; values: readonly string[] }[] = modelParams.matrix;
  for (const [path, value] of leaves(body['modelParams'] ?? null, '')) {
    const row = rows.find((candidate) => candidate.model === body['model'] && candidate.path === path);
    if (row?.values.includes(String(value)) === true) continue;
    if (row === undefined && has('foreign path accepted') && rows.some(({ model }) => model === body['model'])) continue;
    if (has('one V4 value accepted') && body['model'] === 'gpt-5.5' && value === 'max') continue;
    const values = has('V4 list unsorted') ? (row?.values ?? []) : (row?.values.toSorted() ?? []);
    const quote = has('V4 double quotes') ? '"' : "'";
    return `Model "${String(body['model'])}" does not support modelParams.${path}=${quote}${String(value)}${quote}. Supported values: ${values.join(', ')}`;
  }
  return undefined;
}

/** Problems of a body's shape. */
export function shapeProblems(operation: string, body: JsonObject, has: Has): FakeDetail[] {
  const tolerated = Object.fromEntries(Object.entries(body).filter(([member, value]) => !isTolerated([operation, member], value, has)));
  const required = operation === 'createRun' && has('run without task accepted') && !('task' in body) ? { task: '' } : {};
  const problems = contractSchemas.requestProblems(operation, { ...tolerated, ...required });
  const country = tolerated['proxyCountryCode'];
  if (operation === 'createSession' && country !== undefined && country !== null) {
    problems.push(...contractSchemas.componentProblems('v4', 'ProxyCountryCode', country));
  }
  return problems.map((msg) => ({ loc: ['body'], msg, type: 'value_error' }));
}

function isTolerated([operation, member]: [string, string], value: JsonValue, has: Has): boolean {
  if (member === 'model' && has('unknown model accepted')) return true;
  if (member === 'thinkingLevel' && typeof value === 'string' && has('unknown level accepted')) return true;
  if (operation === 'createTask' && ['task', 'llm'].includes(member) && has('V2 types not checked')) return true;
  if (member === 'modelParams' && has('modelParams as text accepted')) return true;
  if (member === 'keepAlive' && has('boolean as text accepted')) return true;
  if (member !== 'proxyCountryCode' || typeof value !== 'string') return false;
  return has('unknown country accepted') || (has('upper-case country accepted') && value === value.toUpperCase());
}

function leaves(value: JsonValue, path: string): [string, JsonValue][] {
  if (!isJsonObject(value)) return path === '' ? [] : [[path, value]];
  return Object.entries(value).flatMap(([name, inner]) => leaves(inner, path === '' ? name : `${path}.${name}`));
}
