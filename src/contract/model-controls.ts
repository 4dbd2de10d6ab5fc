import { isJsonObject, type JsonObject, type JsonValue, shortJson } from '#lib/json.ts';
import { type LevelVersion, mappingFamily, modelRow, normaliseModel } from './models.ts';
import type { ProblemCode, ProblemValues } from './problems.ts';
import type { RuleBook } from './rule-book.ts';

/** The refusal of a request by a rule of the contract: an error code with the values of its message. */
export interface Refusal<Code extends ProblemCode> {
  readonly code: Code;
  readonly values: ProblemValues<Code>;
  /** Path of the offending member, from the body down: `["thinkingLevel"]`. */
  readonly path: readonly string[];
}

/** A model and a thinking level of one API version. */
export interface LevelQuery {
  readonly version: LevelVersion;
  /** Model name of the request; undefined selects the default of the API version. */
  readonly model: string | undefined;
  /** Requested level; null and undefined stand for no level, which every model accepts. */
  readonly level: string | null | undefined;
}

/**
 * Returns a refusal for a level that the model does not support, or null (contract section 4, thinking levels).
 * Normalises an alias first; the refusal names the normalised model. Returns null for an unknown model, which the
 * validation of the enumeration rejects.
 */
export function checkThinkingLevel(
  rules: RuleBook,
  { version, model, level }: LevelQuery,
): Refusal<'unsupported_thinking_level'> | null {
  if (level === null || level === undefined) return null;
  const name = normaliseModel(rules, version, model ?? rules.models[version].default.model);
  const levels = rules.thinkingLevels[version].find((row) => row.model === name)?.levels;
  if (levels === undefined || levels.includes(level)) return null;
  const provider = modelRow(rules, version, name)?.provider ?? 'unknown';
  return {
    code: 'unsupported_thinking_level',
    values: { model: name, provider, level, supported: levels.join(', ') },
    path: ['thinkingLevel'],
  };
}

/** A model of one API version and the thinking level of a task. */
export interface ControlQuery {
  readonly version: LevelVersion;
  /** Normalised model name. */
  readonly model: string;
  /** Level of the task; null for the default of the provider. */
  readonly level: string | null;
}

/**
 * Maps a V2 or V3 thinking level to members of the request to the provider (contract section 4, mapping). Returns null
 * if `level` is null, because nothing is sent then. Throws a RangeError for an unknown model, and for a level that the
 * model does not support.
 */
export function levelControl(rules: RuleBook, { version, model, level }: ControlQuery): JsonObject | null {
  if (level === null) return null;
  const family = mappingFamily(rules, version, model);
  const levels: Readonly<Record<string, string | number | undefined>> = family?.levels ?? {};
  const value = levels[level];
  if (family === undefined || value === undefined)
    throw new RangeError(`found the level ${level} for ${model}, which has none of it`);
  // `off` disables thinking itself; no effort or budget is sent with it.
  if (value === 'off') return { thinking: { type: 'disabled' } };
  const control = nested(family.control, value);
  if (family.control === 'thinking.budget_tokens') return { thinking: { type: 'enabled', budget_tokens: value } };
  return family.thinking?.[version] === 'adaptive' ? { thinking: { type: 'adaptive' }, ...control } : control;
}

/** A V4 model and the modelParams of a request. */
export interface ParamsQuery {
  /** Model name of the request; undefined selects the default model. */
  readonly model: string | undefined;
  /** The `modelParams` member; null, undefined and {} request nothing, which every model accepts. */
  readonly params: JsonObject | null | undefined;
}

type ParamsRefusal = Refusal<'unsupported_model_params'> | Refusal<'unknown_model_param'>;

/** Returns the first refusal of {@link listModelParamsRefusals}, or null. */
export function checkModelParams(rules: RuleBook, query: ParamsQuery): ParamsRefusal | null {
  return listModelParamsRefusals(rules, query)[0] ?? null;
}

/**
 * Returns a refusal for each leaf of `modelParams` whose path or value the model does not support (contract section 4,
 * V4 modelParams). Refusals are in the order of the params, at most `refusalsMax`. A refusal lists the supported values
 * alphabetically, or none for an unsupported path. Returns no refusal for an unknown model, which the validation of the
 * enumeration rejects.
 */
export function listModelParamsRefusals(rules: RuleBook, { model, params }: ParamsQuery): readonly ParamsRefusal[] {
  if (params === null || params === undefined) return [];
  const name = model ?? rules.models.v4.default.model;
  if (!rules.models.v4.models.some((row) => row.name === name)) return [];
  const allowed = rules.modelParams.matrix
    .filter((row) => row.model === name)
    .map(({ path, values }) => ({ path: path.split('.'), values }));
  const refusals: ParamsRefusal[] = [];
  for (const leaf of listLeaves(params)) {
    if (refusals.length === refusalsMax) break;
    const values = allowed.find((row) => sameSegments(row.path, leaf.path))?.values ?? [];
    if (!isAccepted(leaf, values, allowed)) refusals.push(refusal(name, leaf, values));
  }
  return refusals;
}

/** Returns whether a leaf is a supported value, or an empty object above a supported path. */
function isAccepted(
  { path, value }: Leaf,
  values: readonly string[],
  allowed: readonly { readonly path: readonly string[] }[],
): boolean {
  if (isEmptyObject(value)) return allowed.some((row) => isAbove(path, row.path));
  return typeof value === 'string' && values.includes(value);
}

/** Maximum number of refusals for one request, because a body of one megabyte could cause a hundred thousand. */
const refusalsMax = 100;

/**
 * A leaf of `modelParams`: a value without members, or an object at the maximum depth. `path` holds the member names
 * that lead to the value.
 */
interface Leaf {
  readonly path: readonly string[];
  readonly value: JsonValue;
}

/**
 * Maximum length of the path of a leaf. Supported paths are shorter, and an untrusted body may be nested a hundred
 * thousand levels deep.
 */
const deepestPath = 32;

/** Yields all leaves in document order: values other than objects, empty objects, and values at the maximum depth. */
function* listLeaves(params: JsonObject, above: readonly string[] = []): Generator<Leaf> {
  for (const name of Object.keys(params)) {
    const [path, value] = [[...above, name], params[name] ?? null];
    if (!isJsonObject(value) || isEmptyObject(value) || path.length >= deepestPath) yield { path, value };
    else yield* listLeaves(value, path);
  }
}

function isEmptyObject(value: JsonValue): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}

/** Returns whether two paths are equal, by comparing each name, because a member name may contain a dot. */
function sameSegments(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((segment, index) => segment === right[index]);
}

function isAbove(upper: readonly string[], lower: readonly string[]): boolean {
  return upper.length < lower.length && sameSegments(upper, lower.slice(0, upper.length));
}

function refusal(model: string, { path, value }: Leaf, values: readonly string[]): ParamsRefusal {
  const dotted = path.find((name) => name.includes('.'));
  if (dotted !== undefined)
    return { code: 'unknown_model_param', values: { member: shortJson(dotted) }, path: ['modelParams', ...path] };
  const shown = typeof value === 'string' ? value : shortJson(value);
  return {
    code: 'unsupported_model_params',
    values: { model, path: path.join('.'), value: shown, supported: values.toSorted().join(', ') },
    path: ['modelParams', ...path],
  };
}

/**
 * Returns the params that are sent to the provider (contract section 4, V4 modelParams, rules 1 and 2): those of the
 * request, or the default of the service for the model if `params` is null. Returns null when nothing is sent, which is
 * the case for {}, and for null if the model has no default.
 */
export function effectiveModelParams(
  rules: RuleBook,
  { model, params }: { readonly model: string; readonly params: JsonObject | null },
): JsonObject | null {
  if (params !== null) return Object.keys(params).length === 0 ? null : params;
  const row = rules.modelParams.defaults.find((candidate) => candidate.model === model);
  return row === undefined ? null : nested(row.path, row.value);
}

/**
 * Returns an object in which a value is nested at a path of at least one member, such as `{reasoning: {effort:
 * 'xhigh'}}` for `reasoning.effort` and `xhigh`.
 */
function nested(path: string, value: JsonValue): JsonObject {
  const [name = '', ...rest] = path.split('.');
  return { [name]: rest.length === 0 ? value : nested(rest.join('.'), value) };
}

/** A V3 model and whether the request asks for the caller's own provider key. */
export interface OwnKeyQuery {
  /** Model name of the request; undefined selects the default model. */
  readonly model: string | undefined;
  /** Whether useOwnKey or use_own_key is true. */
  readonly ownKey: boolean;
}

/**
 * Returns a refusal if the model requires the caller's own key and the request does not enable it; else null (contract
 * section 2).
 */
export function checkOwnKey(rules: RuleBook, { model, ownKey }: OwnKeyQuery): Refusal<'own_key_required'> | null {
  const name = normaliseModel(rules, 'v3', model ?? rules.models.v3.default.model);
  if (ownKey || modelRow(rules, 'v3', name)?.availability !== 'own-key') return null;
  return { code: 'own_key_required', values: { model: name }, path: ['useOwnKey'] };
}
