import { modelParams, models, reasoningMapping, thinkingLevels } from '#generated/rules.ts';
import { type JsonObject, objectWith } from '../../core/json.ts';
import type { Generation, Target } from '../../core/target.ts';
import { isReachable, levelCells } from '../../common/level-cells.ts';
import { acceptedParamCells, mergeObjects } from '../../common/param-cells.ts';

/** A task whose model-provider requests are judged. */
export interface ProviderCell {
  /** Generation, model and option, separated by spaces. */
  key: string;
  generation: Generation;
  /** Index of the cell in the table of its generation, from 0. */
  index: number;
  /** Name of the requested model. */
  model: string;
  /** Provider of the model, as models.yaml spells it. */
  provider: string;
  /**
   * The setting under test: a thinking level, no setting, empty `modelParams`, a `modelParams` value, the V2 switch
   * `thinking`, the caller's own key, or `useOwnKey: false` in a V4 run.
   */
  option: 'level' | 'absent' | 'empty' | 'param' | 'switch' | 'ownKey' | 'flag';
  /** Requested level, for the option `level`; empty otherwise. */
  level: string;
  /** Name of the row of reasoning-mapping.yaml that maps the level, for the option `level`; empty otherwise. */
  family: string;
  /** Path in `modelParams`, for the option `param`; empty otherwise. `value` is the value at this path. */
  path: string;
  value: string;
  /** Further values of `modelParams` in the same request, each with its path. */
  beside?: readonly { path: string; value: string }[];
  /** True when the cell can be judged only with the caller's own provider key. */
  ownKey: boolean;
  /**
   * True for cells that a run sends before all others, up to its task budget, because a requirement depends on them.
   */
  leads: boolean;
  /** Members of the request in addition to the task. */
  members: JsonObject;
}

type Draft = Omit<ProviderCell, 'key' | 'index' | 'generation'> & { name: string };

const plain = { level: '', family: '', path: '', value: '', ownKey: false, leads: false } as const;

/**
 * Families whose mapping the contract states. The mapping of other families is a decision of this project and binds no
 * other service.
 */
const ruled: ReadonlySet<string> = new Set(
  reasoningMapping.families.filter(({ source }) => source.startsWith('contract')).map(({ family }) => family),
);

const findProvider = (model: string): string => models.v4.models.find(({ name }) => name === model)?.provider ?? '';

const withPaths: readonly string[] = [...new Set(modelParams.matrix.map(({ model }) => model))];
const withDefault: readonly string[] = modelParams.defaults.map(({ model }) => model);

/** Every cell of a generation, in table order. */
export const providerCells: Readonly<Record<Generation, readonly ProviderCell[]>> = {
  v2: numbered('v2', [...levelDrafts('v2'), ...absentTasks(), ...switchTasks()]),
  v3: numbered('v3', [...levelDrafts('v3'), ...ownKeySessions()]),
  v4: numbered('v4', [...paramRuns(), ...absentRuns(), ...emptyRuns(), ...flagRuns(), ...jointRuns()]),
};

/** Returns true if the target has the key or route that the cell needs. */
export function isServed(cell: ProviderCell, target: Target): boolean {
  return cell.generation === 'v3' ? isReachable(cell, target) : !cell.ownKey || target.ownKeys.includes(cell.provider);
}

function numbered(generation: Generation, drafts: readonly Draft[]): ProviderCell[] {
  return drafts.map(({ name, ...draft }, index) => ({ ...draft, key: `${generation} ${name}`, generation, index }));
}

interface Row {
  model: string;
  family?: string;
}

function levelDrafts(generation: 'v2' | 'v3'): Draft[] {
  const rows: readonly Row[] = thinkingLevels[generation];
  const seen = new Set<string>();
  return levelCells(generation).flatMap((cell) => {
    const family = rows.find(({ model }) => model === cell.model)?.family ?? '';
    if (!cell.accepted || !ruled.has(family)) return [];
    const kind = `${family} ${cell.level === 'disabled'}`;
    const isFirst = !cell.ownKey && !seen.has(kind);
    if (isFirst) seen.add(kind);
    const isAlias = cell.names.length > 1 && cell.level === 'low';
    const { model, level, provider, ownKey } = cell;
    const asked = generation === 'v2' ? { llm: model } : { model, ...(ownKey ? { useOwnKey: true } : {}) };
    return [
      {
        ...plain,
        name: cell.key,
        option: 'level',
        model,
        provider,
        ownKey,
        level,
        family,
        leads: isFirst || isAlias,
        members: { ...asked, thinkingLevel: level },
      } satisfies Draft,
    ];
  });
}

/** Returns the V2 models whose mapping the contract states, except models whose level selects another model. */
function tracedModels(): { model: string; provider: string; family: string }[] {
  const legacy: readonly string[] = reasoningMapping.families
    .filter((row) => 'routesTo' in row)
    .map(({ family }) => family);
  const drafts = levelDrafts('v2').filter(({ family }) => !legacy.includes(family));
  const byModel = new Map(drafts.map(({ model, provider, family }) => [model, { model, provider, family }]));
  return [...byModel.values()];
}

function absentTasks(): Draft[] {
  return tracedModels().map(({ model, provider }, index) => ({
    ...plain,
    name: `${model} absent`,
    option: 'absent',
    model,
    provider,
    leads: index === 0,
    members: { llm: model },
  }));
}

/**
 * Returns tasks with the legacy switch `thinking`, for one model per provider. They show how the switch affects the
 * reasoning controls of the provider.
 */
function switchTasks(): Draft[] {
  const first = new Map(
    tracedModels()
      .toReversed()
      .map((row) => [row.provider, row]),
  );
  return [...first.values()].flatMap(({ model, provider }, index) =>
    [true, false].map(
      (thinking): Draft => ({
        ...plain,
        name: `${model} thinking ${thinking}`,
        option: 'switch',
        model,
        provider,
        leads: index === 0,
        members: { llm: model, thinking },
      }),
    ),
  );
}

function ownKeySessions(): Draft[] {
  return models.v3.models
    .filter(({ availability }) => availability === 'own-key')
    .map(({ name: model, provider }) => ({
      ...plain,
      name: `${model} own key`,
      option: 'ownKey',
      model,
      provider,
      ownKey: true,
      leads: true,
      members: { model, useOwnKey: true },
    }));
}

function paramRuns(): Draft[] {
  const seen = new Set<string>();
  return acceptedParamCells().map(({ key, model, path, value }) => {
    const leads = !seen.has(path);
    seen.add(path);
    return {
      ...plain,
      name: key,
      option: 'param',
      model,
      provider: findProvider(model),
      path,
      value,
      leads,
      members: { model, modelParams: objectWith(path, value) },
    };
  });
}

/**
 * Returns runs with one value for each path of a model, which show that all values are forwarded. The value `disabled`
 * is omitted, because the other values would contradict it.
 */
function jointRuns(): Draft[] {
  const byModel = Map.groupBy(acceptedParamCells(), ({ model }) => model);
  const drafts = [...byModel].flatMap(([model, cells], index): Draft[] => {
    const listed = cells.filter(({ value }) => value !== 'disabled');
    const byPath = [...Map.groupBy(listed, ({ path }) => path).values()];
    const [first, ...beside] = byPath.flatMap((values) => values[index % values.length] ?? []);
    if (first === undefined || beside.length === 0) return [];
    const joined = mergeObjects(...[first, ...beside].map(({ path, value }) => objectWith(path, value)));
    const { path, value } = first;
    const provider = findProvider(model);
    const members = { model, modelParams: joined };
    return [{ ...plain, name: `${model} all paths`, option: 'param', model, provider, path, value, beside, members }];
  });
  return drafts.map((draft, index) => ({ ...draft, leads: index === 0 }));
}

/**
 * Returns runs without `modelParams`. Models without a documented default are sent twice, because their default must be
 * the same for each request.
 */
function absentRuns(): Draft[] {
  const others = new Map(
    withPaths
      .filter((model) => !withDefault.includes(model))
      .toReversed()
      .map((model) => [findProvider(model), model]),
  );
  const twice = [...others.values()].flatMap((model) => [
    { model, name: `${model} absent`, leads: false },
    { model, name: `${model} absent again`, leads: false },
  ]);
  const stated = withDefault.map((model) => ({ model, name: `${model} absent`, leads: true }));
  return [...stated, ...twice].map(({ model, name, leads }) => ({
    ...plain,
    name,
    option: 'absent',
    model,
    provider: findProvider(model),
    leads,
    members: { model },
  }));
}

function emptyRuns(): Draft[] {
  return withPaths.map((model) => ({
    ...plain,
    name: `${model} empty`,
    option: 'empty',
    model,
    provider: findProvider(model),
    leads: withDefault.includes(model),
    members: { model, modelParams: {} },
  }));
}

/**
 * Returns V4 runs with `useOwnKey: false`, for one model per provider. The flag must not prevent the use of the stored
 * key.
 */
function flagRuns(): Draft[] {
  const first = new Map(withPaths.toReversed().map((model) => [findProvider(model), model]));
  return [...first].map(([provider, model]) => ({
    ...plain,
    name: `${model} useOwnKey false`,
    option: 'flag',
    model,
    provider,
    ownKey: true,
    leads: true,
    members: { model, useOwnKey: false },
  }));
}
