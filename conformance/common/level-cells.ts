import { modelParams, models, thinkingLevels } from '#generated/rules.ts';
import { sample } from '../core/random.ts';
import type { Target } from '../core/target.ts';

/** One cell of a V2 or V3 matrix: a model with a level. */
export interface LevelCell {
  /** Model and level, separated by a space. */
  key: string;
  model: string;
  level: string;
  /** Levels that the model supports. */
  supported: readonly string[];
  accepted: boolean;
  /** True when only the caller's own key serves the model (V3). */
  ownKey: boolean;
  /** True when the service may lack the route to the model. */
  routed: boolean;
  provider: string;
  /**
   * Names of the model that an error text may use: its own name and, for an alias, the name of the model that it stands
   * for.
   */
  names: readonly string[];
}

/** Values of `thinkingLevel` in V2 and V3. */
export const levelWords = ['disabled', 'low', 'medium', 'high'] as const;

interface ModelRow {
  name: string;
  provider: string;
  availability: string;
  aliasOf?: string;
}

/** Returns every cell of the matrix of a generation, in table order. */
export function levelCells(generation: 'v2' | 'v3'): LevelCell[] {
  const rows: readonly ModelRow[] = models[generation].models;
  return thinkingLevels[generation].flatMap((row) => {
    const model = rows.find(({ name }) => name === row.model);
    if (model === undefined) throw new Error(`generated/rules.ts: ${row.model} has levels and no row in models`);
    return levelWords.map((level) => createCell(model, level, row.levels));
  });
}

/** A value that no table lists. */
export const unlisted = 'svc-unlisted';

/** Returns true for `svc-unlisted`, the value that stands for every unlisted value, in any letter case. */
export function isUnlisted(value: string): boolean {
  return value.toLowerCase() === unlisted;
}

/**
 * Levels that ThinkingLevel does not have: levels of V4 and of providers, listed levels in other letter case, an empty
 * text and an invented level.
 */
const unlistedLevels = ['none', 'minimal', 'xhigh', 'max', 'HIGH', 'Low', '', unlisted];

/**
 * Returns cells with unlisted levels for each model of a generation. If V4 has levels for the model that V2 and V3 do
 * not list, V2 gets one of them, and V3 gets each, because V3 and V4 share model names. Any other model gets one level
 * of `unlistedLevels`. The seed chooses where a model gets one of several levels.
 */
export function unlistedLevelCells(generation: 'v2' | 'v3', seed: number): LevelCell[] {
  const firsts = levelCells(generation).filter(({ level }) => level === levelWords[0]);
  return firsts.flatMap((cell, index) => {
    const native = nativeLevels(cell.model);
    const words = native.length > 0 ? native : unlistedLevels;
    const drawn = words[(index + seed) % words.length] ?? 'none';
    return (generation === 'v3' && native.length > 0 ? native : [drawn]).map((level) => {
      return { ...cell, key: `${generation} ${cell.model} "${level}"`, level, accepted: false };
    });
  });
}

/** Returns the levels of a model that V4 accepts, and V2 and V3 do not. */
function nativeLevels(model: string): string[] {
  const rows: readonly { model: string; path: string; values: readonly string[] }[] = modelParams.matrix;
  const levels = rows.filter((row) => row.model === model && /\.(effort|thinkingLevel)$/.test(row.path));
  return levels.flatMap(({ values }) => values).filter((value) => !levelWords.some((word) => word === value));
}

function createCell(model: ModelRow, level: string, supported: readonly string[]): LevelCell {
  return {
    key: `${model.name} ${level}`,
    model: model.name,
    level,
    supported,
    accepted: supported.includes(level),
    ownKey: model.availability === 'own-key',
    routed: ['cloud', 'direct-or-cloud'].includes(model.availability),
    provider: model.provider,
    names: model.aliasOf === undefined ? [model.name] : [model.name, model.aliasOf],
  };
}

/** Every cell of the V3 matrix that must be accepted, in table order. */
export const acceptedLevelCells: readonly LevelCell[] = levelCells('v3').filter((cell) => cell.accepted);

/** Number of cells of the V3 matrix that must be accepted. */
export const acceptanceCellCount: number = acceptedLevelCells.length;

/** Input for sampling the cells of one run. */
export interface AcceptanceDraw {
  target: Target;
  /** Maximum number of cells. */
  count: number;
  seed: number;
}

/**
 * Chooses at most `count` cells that a run sends, from the accepted cells that the target can serve, and returns them
 * in table order. Cells with an alias and the level `low` have priority; the seed chooses the others.
 */
export function drawAcceptanceCells({ target, count, seed }: AcceptanceDraw): LevelCell[] {
  const possible = acceptedLevelCells.filter((cell) => isReachable(cell, target));
  const aliases = possible.filter(({ names, level }) => names.length > 1 && level === 'low').slice(0, count);
  const others = possible.filter((cell) => !aliases.includes(cell));
  const drawn = new Set([...aliases, ...sample(others, count - aliases.length, seed)]);
  return possible.filter((cell) => drawn.has(cell));
}

/** Returns the family of a model in the table of V3 thinking levels. A model without a family is its own family. */
function familyName(model: string): string {
  const families: readonly { model: string; family?: string }[] = thinkingLevels.v3;
  return families.find((row) => row.model === model)?.family ?? model;
}

/**
 * Returns accepted cells for sessions without a task: at least one cell of each model that the target can serve, and
 * for each model family one with the level `disabled`. With `levels: 'all'`, every level of each family occurs at least
 * once. The seed chooses the model of a family and the level of a model; consecutive seeds reach every cell.
 */
export function drawTasklessCells(target: Target, seed: number, levels: 'all' | 'one'): LevelCell[] {
  const possible = acceptedLevelCells.filter((cell) => isReachable(cell, target));
  const drawEach = (groups: Map<string, LevelCell[]>): LevelCell[] =>
    [...groups.values()].flatMap((cells, index) => cells[(index + seed) % cells.length] ?? []);
  const families = Map.groupBy(possible, ({ model, level }) => `${familyName(model)} ${level}`);
  const drawn = levels === 'all' ? drawEach(families) : [];
  const seen = new Set(drawn.map(({ model }) => model));
  const others = possible.filter(({ model }) => !seen.has(model));
  const shown = [...drawn, ...drawEach(Map.groupBy(others, ({ model }) => model))];
  // Providers have other words for `disabled`, which a record must not show.
  const [off] = levelWords;
  const isShown = (name: string): boolean => shown.some((one) => one.level === off && familyName(one.model) === name);
  const unseen = possible.filter(({ model, level }) => level === off && !isShown(familyName(model)));
  return [...shown, ...drawEach(Map.groupBy(unseen, ({ model }) => familyName(model)))];
}

/**
 * Returns true if the target can serve a V3 cell. A cell that needs the caller's provider key is reachable if the
 * account has stored a key for this provider. Any other cell is reachable unless the target file lists its model as
 * unrouted.
 */
export function isReachable(cell: Pick<LevelCell, 'ownKey' | 'provider' | 'model'>, { ownKeys, v3 }: Target): boolean {
  if (cell.ownKey) return ownKeys.includes(cell.provider);
  return v3?.unrouted.includes(cell.model) !== true;
}
