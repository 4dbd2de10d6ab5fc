import { modelParams as paramsRules, thinkingLevels } from '#generated/rules.ts';
import type { CheckContext } from '../../core/check.ts';
import { keyOf } from '../../core/exchange.ts';
import { type JsonObject, isJsonObject } from '../../core/json.ts';
import { type OperationKey, operationRow, pathValues } from '../../core/operations.ts';
import { requestObject } from '../../core/request-json.ts';
import type { Called } from './observations.ts';

/**
 * A rule that the contract states for every generation. `breaks` returns true for a request that violates this rule and
 * no other.
 */
export interface ParityRule {
  readonly rule: string;
  readonly breaks: (t: CheckContext, call: Called) => boolean;
}

/** Rules whose refusals must agree between V2, V3 and V4. */
export const parityRules: readonly ParityRule[] = [
  { rule: 'a request without a key', breaks: (t, call) => classifyKey(t, call) === 'none' },
  {
    rule: 'a malformed id',
    breaks: (t, call) => isOwn(t, call) && namesNoId(t, call),
  },
  {
    rule: 'a goal that is no text',
    breaks: (t, call) => {
      const { task } = readBody(call);
      return isCreation(t, call) && task !== undefined && task !== null && typeof task !== 'string';
    },
  },
  {
    rule: 'an unknown level',
    breaks: (t, call) => {
      const { thinkingLevel } = readBody(call);
      return isCreation(t, call) && typeof thinkingLevel === 'string' && !levels.includes(thinkingLevel);
    },
  },
  {
    rule: 'a reasoning value that the model does not support',
    breaks: (t, call) =>
      isCreation(t, call) &&
      (refusedPairs.has(`${call.exchange.generation} ${levelAsked(call) ?? ''}`) || asksTooMuch(call)),
  },
];

/**
 * Returns model and level, such as "gemini-3-flash low", of a creation in V2 or V3. Returns undefined for any other
 * request, and for a creation without a model, level or task, with a session id, or with `useOwnKey`.
 */
export function levelAsked({ operation, exchange }: Called): string | undefined {
  if (operation !== 'v2.createTask' && operation !== 'v3.createSession') return undefined;
  const body = readBody({ operation, exchange });
  const { model, llm, thinkingLevel: level, useOwnKey } = body;
  const name = operation === 'v2.createTask' ? llm : model;
  if (typeof name !== 'string' || typeof level !== 'string' || useOwnKey !== undefined) return undefined;
  return typeof body['sessionId'] === 'string' || typeof body['task'] !== 'string' ? undefined : `${name} ${level}`;
}

const modelParamsTable: readonly {
  readonly model: string;
  readonly path: string;
  readonly values: readonly string[];
}[] = paramsRules.matrix;

const creations: readonly OperationKey[] = ['v2.createTask', 'v3.createSession', 'v4.createRun'];

const levels: readonly string[] = ['disabled', 'low', 'medium', 'high'];

/** Pairs of a model and a level that the table of their generation does not accept, such as `v3 gemini-3-pro medium`. */
const refusedPairs = new Set(
  (['v2', 'v3'] as const).flatMap((version) =>
    thinkingLevels[version].flatMap((row) => {
      const accepted: readonly string[] = row.levels;
      return levels.filter((level) => !accepted.includes(level)).map((level) => `${version} ${row.model} ${level}`);
    }),
  ),
);

/** Returns true for a V4 run whose reasoning controls have a path or value that its model does not support. */
function asksTooMuch(call: Called): boolean {
  const { model, modelParams } = readBody(call);
  if (call.operation !== 'v4.createRun' || !isJsonObject(modelParams)) return false;
  const rows = modelParamsTable.filter((row) => row.model === model);
  return Object.entries(modelParams).some(([group, inner]) =>
    Object.entries(isJsonObject(inner) ? inner : {}).some(([name, value]) => {
      const accepted: readonly string[] = rows.find(({ path }) => path === `${group}.${name}`)?.values ?? [];
      return typeof value === 'string' && !accepted.includes(value);
    }),
  );
}

function isCreation(t: CheckContext, call: Called): boolean {
  return creations.includes(call.operation) && isOwn(t, call);
}

/**
 * Returns true for a request without a query whose path parameters are all ids with the value `no-id`. Excludes ids of
 * queue messages, which are numbers.
 */
function namesNoId(t: CheckContext, { operation, exchange }: Called): boolean {
  const names = [...operationRow(operation).path.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name);
  const values = pathValues(t.target, exchange);
  if (exchange.request.url.includes('?')) return false;
  return values.length > 0 && names.every((name) => name.endsWith('_id')) && values.every((value) => value === 'no-id');
}

function isOwn(t: CheckContext, call: Called): boolean {
  return classifyKey(t, call) === 'own';
}

function classifyKey({ target }: CheckContext, { exchange }: Called): 'own' | 'none' | 'other' {
  const key = keyOf(exchange, target.keyHeader);
  if (key === '$SERVICE_API_KEY') return 'own';
  return key === undefined && exchange.request.headers['authorization'] === undefined ? 'none' : 'other';
}

function readBody({ exchange }: Called): JsonObject {
  return requestObject(exchange);
}
