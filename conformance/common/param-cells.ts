import { modelParams, models } from '#generated/rules.ts';
import { type JsonObject, type JsonValue, isJsonObject, objectWith } from '../core/json.ts';
import { unlisted } from './level-cells.ts';

/** One value for one path of one V4 model. */
export interface ParamCell {
  /** Model, path and value, separated by spaces. */
  key: string;
  model: string;
  path: string;
  value: string;
  /** Values that the model accepts on the path; empty when it does not accept the path. */
  supported: readonly string[];
  /** True if the model has parameter paths, but this path is not among them, because only other models have it. */
  foreignPath: boolean;
}

interface MatrixRow {
  model: string;
  path: string;
  values: readonly string[];
}

const rows: readonly MatrixRow[] = modelParams.matrix;
const paths = [...new Set(rows.map((row) => row.path))];
/**
 * An unlisted value with a capital letter that is not ASCII. The text of its refusal must show the value as it was
 * sent; a body whose length is counted in characters is cut.
 */
const unlistedCapital = 'svc-Ünlisted';

/** Values of the providers' own APIs that V4 does not list for a path, keyed by the path. */
const nativeWords: Readonly<Record<string, readonly string[]>> = {
  'reasoning.effort': ['auto'],
  'output_config.effort': ['none', 'minimal'],
  'thinking.type': ['enabled', 'auto'],
  'thinking.display': ['full', 'none'],
  'thinkingConfig.thinkingLevel': ['none', 'max'],
};

/**
 * Returns parameter values that a V4 model must refuse: values that a path does not list, and a value of each path for
 * a model without paths. With a seed, models without paths get other values than without a seed.
 */
export function refusedParamCells(seed?: number): ParamCell[] {
  const listed = rows.flatMap((row) =>
    [...new Set([...collectVocabulary(row), ...(nativeWords[row.path] ?? []), unlistedCapital])]
      .filter((value) => !row.values.includes(value))
      .map((value) => paramCell(row, value)),
  );
  const others = modelsWithoutPaths().flatMap((model, index) =>
    foreignCells(model, false).map((cell) => (seed === undefined ? cell : withOtherValue(cell, seed + index))),
  );
  return [...listed, ...others];
}

/** Returns the parameter values that V4 models must accept: the listed values of each path. */
export function acceptedParamCells(): ParamCell[] {
  return rows.flatMap((row) => row.values.map((value) => paramCell(row, value)));
}

/**
 * For each model with parameter paths, returns every path that only other models have. Each path has a value that those
 * models accept.
 */
export function foreignPathCells(): ParamCell[] {
  const withPaths = [...new Set(rows.map((row) => row.model))];
  return withPaths.flatMap((model) => foreignCells(model, true));
}

/** A whole `modelParams` object for one V4 model. */
export interface ParamsCell {
  /** Model, then a description of the object, such as its path and value. */
  key: string;
  /** Undefined for the default model of the service. */
  model: string | undefined;
  modelParams: JsonObject;
}

/**
 * Functions that derive a value which no model parameter accepts from an accepted value: wrong types, another letter
 * case, and removed or added characters. None returns null, which may stand for an absent member.
 */
const oddValues: readonly ((listed: string) => JsonValue)[] = [
  (listed) => listed.toUpperCase(),
  (listed) => `x${listed}`,
  (listed) => listed.slice(0, -1),
  (listed) => `${listed}er`,
  () => 3,
  () => true,
  (listed) => [listed],
  (listed) => [listed, listed],
  () => '',
  (listed) => ` ${listed}`,
  () => false,
  (listed) => ({ [listed]: true }),
];

/**
 * For each parameter path of each model, returns a `modelParams` object with a value that no parameter accepts, such as
 * a wrong type or letter case; the seed chooses the value. Also returns, for each path, a `modelParams` object whose
 * value at the path is an object.
 */
export function oddValueCells(seed: number): ParamsCell[] {
  const drawn = rows.map((row, index) => {
    const odd = oddValues[(index + seed) % oddValues.length];
    return oddCell(row, odd?.(row.values[0] ?? unlisted) ?? unlisted);
  });
  const objects = firstRows().map((row) => oddCell(row, { unexpected: 'value' }));
  return [...drawn, ...objects];
}

function oddCell({ model, path }: MatrixRow, value: JsonValue): ParamsCell {
  return { key: `${model} ${path} ${JSON.stringify(value)}`, model, modelParams: objectWith(path, value) };
}

/** Returns the first row of each path. */
function firstRows(): MatrixRow[] {
  return rows.filter(({ path }, index) => rows.findIndex((row) => row.path === path) === index);
}

/**
 * For each path of each model, returns an object with the path in the other convention, snake case or camel case, and a
 * listed value. Omits a path that is the same in both conventions.
 */
function respelledCells(): ParamsCell[] {
  return rows.flatMap(({ model, path, values }) => {
    const snake = path.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const camel = path.replaceAll(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase());
    const other = snake === path ? camel : snake;
    if (other === path) return [];
    const value = values[0] ?? unlisted;
    return [{ key: `${model} ${other} ${value}`, model, modelParams: objectWith(other, value) }];
  });
}

/**
 * For each path, returns an object with one member whose name contains the dots of the path, and with a value that no
 * path lists.
 */
function dottedCells(): ParamsCell[] {
  return firstRows().map(({ model, path }) => ({
    key: `${model} "${path}" ${unlisted}`,
    model,
    modelParams: { [path]: unlisted },
  }));
}

/**
 * For each path, returns two objects with a wrong value of its parent member: a listed value of the path instead of an
 * object, and the object inside an array.
 */
function flattenedCells(): ParamsCell[] {
  return firstRows().flatMap(({ model, path, values }) => {
    const [parent = path] = path.split('.');
    const value = values[0] ?? unlisted;
    const object = objectWith(path, value)[parent] ?? value;
    return [
      { key: `${model} ${parent} "${value}"`, model, modelParams: { [parent]: value } },
      { key: `${model} ${parent} ${JSON.stringify([object])}`, model, modelParams: { [parent]: [object] } },
    ];
  });
}

/**
 * For each pair of parameter paths of a model, returns an object that V4 must refuse: one path has a listed value, and
 * the other path has a value that only another path of this model lists. In about half of the objects, the wrong value
 * comes first.
 */
export function secondValueCells(): SecondValue[] {
  return rows.flatMap(({ model, path, values }, place) => {
    const others = rows.filter((row) => row.model === model && row.path !== path);
    return others.flatMap((lead, index) => {
      const source = others.find((row) => row !== lead) ?? lead;
      const value = source.values.find((word) => !values.includes(word));
      if (value === undefined) return [];
      const [right, wrong] = [objectWith(lead.path, lead.values[0] ?? unlisted), objectWith(path, value)];
      const both = (place + index) % 2 === 0 ? merge(right, wrong) : merge(wrong, right);
      const pairs = [{ path, value, supported: values }];
      const key = `${model} ${path} ${value} beside ${lead.path}`;
      return [{ key, model, modelParams: both, pairs, listedPath: lead.path }];
    });
  });
}

/** For each model with several paths, returns an object with unlisted values on its first and its last path. */
export function twoWrongCells(): WrongPair[] {
  return [...Map.groupBy(rows, ({ model }) => model)].flatMap(([model, own]) => {
    const [one, other] = [own[0], own.at(-1)];
    if (one === undefined || other === undefined || one === other) return [];
    const pairs = [
      { path: one.path, value: 'svc-first', supported: one.values },
      { path: other.path, value: 'svc-second', supported: other.values },
    ];
    const both = mergeObjects(...pairs.map(({ path, value }) => objectWith(path, value)));
    return [{ key: `${model} with two wrong values`, model, modelParams: both, pairs }];
  });
}

/** A `modelParams` object with wrong values of several paths. */
export interface WrongPair extends ParamsCell {
  model: string;
  pairs: readonly Pick<ParamCell, 'path' | 'value' | 'supported'>[];
}

/** A `modelParams` object with one wrong value, and a listed value of another path. */
export interface SecondValue extends WrongPair {
  /** Path of the listed value. */
  listedPath: string;
}

/** Controls that providers know and that no path lists: token budgets, summaries, sampling, and names of V2 and V3. */
const unlistedControls: readonly JsonObject[] = [
  { thinking: { budget_tokens: 1024 } },
  { thinkingConfig: { thinkingBudget: 1024 } },
  { thinkingConfig: { includeThoughts: true } },
  { reasoning: { summary: 'auto' } },
  { reasoning: { max_tokens: 1024 } },
  { output_config: { format: 'text' } },
  { reasoning_effort: 'low' },
  { effort: 'low' },
  { thinkingLevel: 'low' },
  { thinking_level: 'low' },
  { temperature: 0 },
  { max_tokens: 1024 },
];

/**
 * Returns `modelParams` objects with members that no model has. Each unlisted control occurs alone, for every model
 * with a path below the same member or otherwise for one model, and also next to a listed value of one model. A model
 * without paths has an invented member, and one of the controls. For each path, an invented member occurs next to a
 * listed value, in the same object or at the top level. Finally, paths are misspelled, or their parent has a value that
 * is no object, or an unlisted member occurs beside a null. The seed chooses the models and controls.
 */
export function extraMemberCells(seed: number): ParamsCell[] {
  const controls = unlistedControls.flatMap((extra, index) => {
    const [member = ''] = Object.keys(extra);
    const near = rows.filter(({ path }) => path.startsWith(`${member}.`));
    const fitting = near.length > 0 ? near : rows;
    const row = fitting[(index + seed) % fitting.length];
    if (row === undefined) return [];
    const listed = objectWith(row.path, row.values[0] ?? unlisted);
    const control = JSON.stringify(extra);
    const alone = near.length > 0 ? [...new Set(near.map(({ model }) => model))] : [row.model];
    return [
      ...alone.map((model) => ({ key: `${model} ${control} alone`, model, modelParams: extra })),
      { key: `${row.model} ${control} beside ${row.path}`, model: row.model, modelParams: merge(listed, extra) },
    ];
  });
  const without = modelsWithoutPaths().flatMap((model, index) =>
    [{ svc_unlisted: 'low' }, unlistedControls[(index + seed) % unlistedControls.length] ?? {}].map((extra) => ({
      key: `${model} ${JSON.stringify(extra)} alone`,
      model,
      modelParams: extra,
    })),
  );
  const beside = rows.map(({ model, path, values }, index) => {
    const [member = path] = path.split('.');
    const listed = objectWith(path, values[0] ?? unlisted);
    const extra = index % 2 === 0 ? { [member]: { svc_unlisted: 'low' } } : { svc_unlisted: { effort: 'low' } };
    const where = index % 2 === 0 ? member : 'modelParams';
    return { key: `${model} ${path} beside an unlisted member of ${where}`, model, modelParams: merge(listed, extra) };
  });
  return [
    ...controls,
    ...without,
    ...beside,
    ...respelledCells(),
    ...flattenedCells(),
    ...dottedCells(),
    ...besideNullCells(seed),
    { key: 'no model, an unlisted member', model: undefined, modelParams: { svc_unlisted: 'low' } },
  ];
}

/**
 * For each model with parameter paths, returns an object with an unlisted member beside a null, or beside an empty
 * object. No document states whether a null or an empty object is accepted; the unlisted member is refused in any case.
 * The seed chooses the place of the null.
 */
function besideNullCells(seed: number): ParamsCell[] {
  return [...Map.groupBy(rows, ({ model }) => model).values()].flatMap(([row], index) => {
    if (row === undefined) return [];
    const { model, path } = row;
    const [parent = path] = path.split('.');
    const empty = [objectWith(path, null), { [parent]: null }, { [parent]: {} }][(index + seed) % 3] ?? {};
    const key = `${model} an unlisted member beside ${JSON.stringify(empty)}`;
    return [{ key, model, modelParams: { ...empty, svc_unlisted: { effort: 'low' } } }];
  });
}

/** Merges objects into one. Members that are objects are merged recursively. */
export function mergeObjects(...objects: readonly JsonObject[]): JsonObject {
  return objects.reduce((left, right) => merge(left, right), {});
}

function merge(left: JsonObject, right: JsonObject): JsonObject {
  const members = Object.entries(right).map(([name, value]): [string, JsonValue] => {
    const other = left[name];
    return [name, isJsonObject(other) && isJsonObject(value) ? merge(other, value) : value];
  });
  return { ...left, ...Object.fromEntries(members) };
}

/**
 * Returns the values of all rows that share at least one value with the given row. Efforts and levels share values;
 * switches do not.
 */
function collectVocabulary(row: MatrixRow): string[] {
  const kin = rows.filter((other) => other.values.some((value) => row.values.includes(value)));
  return [...new Set(kin.flatMap((other) => other.values))];
}

function modelsWithoutPaths(): string[] {
  return models.v4.models.map(({ name }) => name).filter((name) => !rows.some((row) => row.model === name));
}

function foreignCells(model: string, foreignPath: boolean): ParamCell[] {
  const own = rows.filter((row) => row.model === model).map((row) => row.path);
  return paths
    .filter((path) => !own.includes(path))
    .map((path) => {
      const value = rows.find((row) => row.path === path && row.values.includes('low'))?.values[1] ?? firstValue(path);
      return { key: `${model} ${path} ${value}`, model, path, value, supported: [], foreignPath };
    });
}

/**
 * Returns the cell of the same model and path with another value that any model lists for this path. The seed chooses
 * the value.
 */
function withOtherValue(cell: ParamCell, seed: number): ParamCell {
  const { model, path } = cell;
  const words = [...new Set(rows.filter((row) => row.path === path).flatMap((row) => row.values))];
  const others = words.filter((word) => word !== cell.value);
  const value = others[seed % others.length] ?? cell.value;
  return { ...cell, key: `${model} ${path} ${value}`, value };
}

function firstValue(path: string): string {
  return rows.find((row) => row.path === path)?.values[0] ?? unlisted;
}

function paramCell(row: MatrixRow, value: string): ParamCell {
  const { model, path, values } = row;
  return { key: `${model} ${path} ${value}`, model, path, value, supported: values, foreignPath: false };
}
