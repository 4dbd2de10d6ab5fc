import { isJsonObject, type JsonObject, type JsonValue, shortJson } from '#lib/json.ts';
import { type LevelVersion, mappingFamily, modelRow, normaliseModel } from './models.ts';
import type { ProblemCode, ProblemValues } from './problems.ts';
import type { RuleBook } from './rule-book.ts';

/** Why a rule refuses: a code and the values of its message, never the message itself. */
export interface Refusal<Code extends ProblemCode> {
  readonly code: Code;
  readonly values: ProblemValues<Code>;
  /** The offending member, from the body down: `["thinkingLevel"]`. */
  readonly path: readonly string[];
}

/** A model and a level of one generation. */
export interface LevelQuery {
  readonly version: LevelVersion;
  /** As written in the request; absent means the generation's default. */
  readonly model: string | undefined;
  /** null and absent ask for no level, which every model accepts. */
  readonly level: string | null | undefined;
}

/**
 * Refuses a level that the model does not support (contract section 4, thinking levels). An alias is normalised first and
 * the refusal names the normalised model. A model without a row is left to the check of the enumeration.
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

/** A model of one generation and the level that its task was given. */
export interface ControlQuery {
  readonly version: LevelVersion;
  /** Normalised. */
  readonly model: string;
  /** null where none was given, which leaves the provider's own default. */
  readonly level: string | null;
}

/**
 * What a V2 or V3 level becomes at the provider (contract section 4, mapping), in the shape of the provider's own request; null sends
 * nothing. Throws a RangeError for a level that was to be refused before.
 */
export function levelControl(rules: RuleBook, { version, model, level }: ControlQuery): JsonObject | null {
  if (level === null) return null;
  const family = mappingFamily(rules, version, model);
  const levels: Readonly<Record<string, string | number | undefined>> = family?.levels ?? {};
  const value = levels[level];
  if (family === undefined || value === undefined)
    throw new RangeError(`found the level ${level} for ${model}, which has none of it`);
  // `off` is no value of the control: thinking itself is turned off, and no effort or budget stands beside it.
  if (value === 'off') return { thinking: { type: 'disabled' } };
  const control = nested(family.control, value);
  if (family.control === 'thinking.budget_tokens') return { thinking: { type: 'enabled', budget_tokens: value } };
  return family.thinking?.[version] === 'adaptive' ? { thinking: { type: 'adaptive' }, ...control } : control;
}

/** A V4 model and the modelParams of a request. */
export interface ParamsQuery {
  /** Absent means the default model. */
  readonly model: string | undefined;
  /** null, absent and {} ask for nothing, which every model accepts. */
  readonly params: JsonObject | null | undefined;
}

type ParamsRefusal = Refusal<'unsupported_model_params'> | Refusal<'unknown_model_param'>;

/** The first refusal of {@link listModelParamsRefusals}, or null. */
export function checkModelParams(rules: RuleBook, query: ParamsQuery): ParamsRefusal | null {
  return listModelParamsRefusals(rules, query)[0] ?? null;
}

/**
 * Refuses every leaf whose path is not listed for the model, or whose value is not (contract section 4, V4 modelParams), in
 * document order, at most the first 100. Supported values are in alphabetical order, none for a path that is not listed. A model that the book
 * does not know is left to the check of the enumeration.
 */
export function listModelParamsRefusals(rules: RuleBook, { model, params }: ParamsQuery): readonly ParamsRefusal[] {
  if (params === null || params === undefined) return [];
  const name = model ?? rules.models.v4.default.model;
  if (!rules.models.v4.models.some((row) => row.name === name)) return [];
  const allowed = rules.modelParams.matrix
    .filter((row) => row.model === name)
    .map(({ path, values }) => ({ path: path.split('.'), values }));
  const refusals: ParamsRefusal[] = [];
  for (const leaf of leavesOf(params)) {
    if (refusals.length === refusalsMax) break;
    const values = allowed.find((row) => sameSegments(row.path, leaf.path))?.values ?? [];
    if (!isAccepted(leaf, values, allowed)) refusals.push(refusal(name, leaf, values));
  }
  return refusals;
}

/** An allowed value, or an empty object above an allowed path. */
function isAccepted(
  { path, value }: Leaf,
  values: readonly string[],
  allowed: readonly { readonly path: readonly string[] }[],
): boolean {
  if (isEmptyObject(value)) return allowed.some((row) => isAbove(path, row.path));
  return typeof value === 'string' && values.includes(value);
}

/** More are not worth reading; a body of one megabyte could hold a hundred thousand. */
const refusalsMax = 100;

/** One value that has nothing below it, and the names that lead to it. */
interface Leaf {
  readonly path: readonly string[];
  readonly value: JsonValue;
}

/** A path of more names is not followed: no allowed path is that long, and a hostile body may be a hundred thousand deep. */
const deepestPath = 32;

/** Yields every leaf in document order; an empty object, an array and null are leaves, and so is a value that lies too deep. */
function* leavesOf(params: JsonObject, above: readonly string[] = []): Generator<Leaf> {
  for (const name of Object.keys(params)) {
    const [path, value] = [[...above, name], params[name] ?? null];
    if (!isJsonObject(value) || isEmptyObject(value) || path.length >= deepestPath) yield { path, value };
    else yield* leavesOf(value, path);
  }
}

function isEmptyObject(value: JsonValue): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}

/** Names are compared one by one: a member whose own name holds a dot is not the path that it looks like. */
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
 * What is sent to the model's provider (contract section 4, V4 modelParams, rules 1 and 2): the request's own controls;
 * without any the service default of the model, null where it has none; and null for {}, which leaves the provider's own.
 */
export function effectiveModelParams(
  rules: RuleBook,
  { model, params }: { readonly model: string; readonly params: JsonObject | null },
): JsonObject | null {
  if (params !== null) return Object.keys(params).length === 0 ? null : params;
  const row = rules.modelParams.defaults.find((candidate) => candidate.model === model);
  return row === undefined ? null : nested(row.path, row.value);
}

/** A value at a path of members: `reasoning.effort` and `xhigh` give `{reasoning: {effort: 'xhigh'}}`. The path has at least one member. */
function nested(path: string, value: JsonValue): JsonObject {
  const [name = '', ...rest] = path.split('.');
  return { [name]: rest.length === 0 ? value : nested(rest.join('.'), value) };
}

/** A V3 model and whether the caller's own provider key is asked for. */
export interface OwnKeyQuery {
  /** As written in the request; absent means the default model. */
  readonly model: string | undefined;
  /** Whether useOwnKey or use_own_key is true. */
  readonly ownKey: boolean;
}

/** Refuses a V3 model that is served only with the caller's own key when that option is not set (contract section 2). */
export function checkOwnKey(rules: RuleBook, { model, ownKey }: OwnKeyQuery): Refusal<'own_key_required'> | null {
  const name = normaliseModel(rules, 'v3', model ?? rules.models.v3.default.model);
  if (ownKey || modelRow(rules, 'v3', name)?.availability !== 'own-key') return null;
  return { code: 'own_key_required', values: { model: name }, path: ['useOwnKey'] };
}
