import { models } from '#generated/rules.ts';
import { isJsonObject, type JsonObject, objectWith } from '../../core/json.ts';
import type { Target } from '../../core/target.ts';
import { type LevelCell, levelCells } from '../../common/level-cells.ts';
import { acceptedParamCells, mergeObjects, type ParamCell, refusedParamCells } from '../../common/param-cells.ts';
import type { ProbedTable } from '../../common/acceptance-probes.ts';
import { levelTemplate, matchesParamTemplate, supportedList } from '../../common/refusals.ts';
import { runProbe, taskProbe } from '../../common/probe-bodies.ts';

/** One request that must be accepted. */
export interface JobCell {
  /** `<model>`, `<model> <level>` or `<model> <path> <value>`. */
  key: string;
  model: string;
  /** True when the request carries nothing but the model. */
  plain: boolean;
  /**
   * Number of the group: the selection first takes one cell of each group in the order of the numbers, then further
   * cells of any group.
   */
  group: number;
  /** Members of the request in addition to the task. */
  members: JsonObject;
  /** Keys of the cells whose values the request combines; absent for a request with one value. */
  covers?: readonly string[];
}

/** Keys of the V2 cells of older Claude models with `disabled`, the only level that these models accept. */
export const olderClaudeKeys: readonly string[] = levelCells('v2')
  .filter(({ model, supported, accepted }) => accepted && model.startsWith('claude-') && supported.length === 1)
  .map(({ key }) => key);

/** Every combination of model and thinking level that V2 must accept, in the order of the model table. */
export const taskCells: readonly JobCell[] = levelCells('v2')
  .filter((cell) => cell.accepted)
  .map(({ key, model, level }) => ({
    key,
    model,
    plain: false,
    group: olderClaudeKeys.includes(key) ? 0 : 1,
    members: { llm: model, thinkingLevel: level },
  }));

/** A cell for every V4 model, and for every value of a path that must be accepted. */
export const runCells: readonly JobCell[] = [
  ...models.v4.models.map(({ name }) => ({
    key: name,
    model: name,
    plain: true,
    group: 1,
    members: { model: name },
  })),
  ...acceptedParamCells().map(({ key, model, path, value }) => ({
    key,
    model,
    plain: false,
    group: 0,
    members: { model, modelParams: objectWith(path, value) },
  })),
];

/**
 * Returns the combinations of model and level that V2 must accept, as probes: requests that are refused for another
 * reason (see `probeAcceptance`).
 */
export function taskTable(): ProbedTable<JobCell> {
  const refusedPair = levelCells('v2').find((cell) => !cell.accepted && cell.supported.length > 0);
  if (refusedPair === undefined) throw new Error('the V2 matrix has no model that refuses some levels');
  const asJob = ({ key, model, level }: LevelCell): JobCell => ({
    key,
    model,
    plain: false,
    group: 0,
    members: { llm: model, thinkingLevel: level },
  });
  const pairs = new Map(levelCells('v2').map((cell) => [cell.key, cell]));
  return {
    generation: 'v2',
    cells: taskCells,
    control: asJob(refusedPair),
    bare: taskProbe,
    value: ({ members }) => members,
    isAbout: ({ key }, exchange) => {
      const { names = [], level = '' } = pairs.get(key) ?? {};
      return supportedList(exchange, levelTemplate(names, level)) !== undefined;
    },
  };
}

/**
 * Returns the V4 parameter values that must be accepted: each value alone, and combined values of the several paths of
 * a model.
 */
export function runTable(target: Target): ProbedTable<JobCell> {
  const [control] = refusedParamCells().filter(({ supported }) => supported.length > 0);
  if (control === undefined) throw new Error('the table of modelParams has no value that is refused');
  const asJob = ({ key, model, path, value }: ParamCell): JobCell => ({
    key,
    model,
    plain: false,
    group: 0,
    members: { model, modelParams: objectWith(path, value) },
  });
  return {
    generation: 'v4',
    cells: [...runCells.filter(({ plain }) => !plain), ...jointParamCells()],
    control: asJob(control),
    bare: ({ model }) => ({ ...runProbe(target), model }),
    value: ({ members }) => ({ modelParams: members['modelParams'] ?? null }),
    isAbout: ({ model }, exchange) => matchesParamTemplate(exchange, model),
  };
}

/**
 * Returns requests for the V4 models that take no modelParams. They differ from the smallest request in the model only.
 * The table of parameter values has a request for every other model.
 */
export function modelTable(target: Target): ProbedTable<JobCell> {
  const withValues = new Set(runCells.filter(({ plain }) => !plain).map(({ model }) => model));
  return {
    ...runTable(target),
    cells: runCells.filter(({ plain, model }) => plain && !withValues.has(model)),
    bare: () => runProbe(target),
    value: ({ members }) => members,
  };
}

/** Returns requests with empty modelParams, one for each V4 model that has paths. */
export function emptyTable(target: Target): ProbedTable<JobCell> {
  const withPaths = [...new Set(acceptedParamCells().map(({ model }) => model))];
  return {
    ...runTable(target),
    cells: withPaths.map((model) => ({
      key: `${model} {}`,
      model,
      plain: false,
      group: 0,
      members: { model, modelParams: {} },
    })),
  };
}

/** Returns true for a cell with empty modelParams. */
export function isEmptyParams({ key }: JobCell): boolean {
  return key.endsWith(' {}');
}

/** Returns cells with one listed value for every path of a model that has several paths. */
function jointParamCells(): JobCell[] {
  // An effort or a display contradicts the value `disabled`. The contract does not state whether such a request is
  // accepted.
  const joined = acceptedParamCells().filter(({ value }) => value !== 'disabled');
  const byModel = Map.groupBy(joined, ({ model }) => model);
  return [...byModel].flatMap(([model, cells]) => {
    const byPath = [...Map.groupBy(cells, ({ path }) => path).values()];
    if (byPath.length < 2) return [];
    const longest = Math.max(...byPath.map((values) => values.length));
    return Array.from({ length: longest }, (_, index): JobCell => {
      const chosen = byPath.flatMap((values) => values[index % values.length] ?? []);
      const modelParams = mergeObjects(...chosen.map(({ path, value }) => objectWith(path, value)));
      const key = `${model} ${chosen.map(({ path, value }) => `${path} ${value}`).join(' and ')}`;
      const covers = chosen.map((cell) => cell.key);
      return { key, model, plain: false, group: 0, members: { model, modelParams }, covers };
    });
  });
}

/**
 * Returns the V4 cells whose runs are polled to their end: one of each family of models that share a path. Where a
 * model has several paths, the cell has a value for each. Consecutive seeds reach every cell.
 */
export function watchedRunCells(seed: number): JobCell[] {
  const joint = jointParamCells();
  const single = runCells.filter(({ plain, model }) => !plain && !joint.some((cell) => cell.model === model));
  const families = [...Map.groupBy([...single, ...joint], familyName).values()];
  const turned = families.map((_, index) => families[(index + seed) % families.length] ?? []);
  return turned.flatMap((cells) => cells[seed % cells.length] ?? []);
}

/** Returns the top-level member names of a cell's modelParams as one text. Models with the same text form a family. */
function familyName({ members: { modelParams } }: JobCell): string {
  return Object.keys(isJsonObject(modelParams) ? modelParams : {})
    .toSorted()
    .join();
}
