import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';
import type { RuleBook } from '../rule-book.ts';
import { shortJson } from '#lib/short-json.ts';
import type { Refusal } from './refusal.ts';

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
