import { models, thinkingLevels } from '#generated/rules.ts';

/** One cell of a V2 or V3 matrix. */
export interface LevelCell {
  /** `<model> <level>`. */
  key: string;
  model: string;
  level: string;
  /** Levels that the model supports. */
  supported: readonly string[];
  accepted: boolean;
  /** True when the model is served only with the caller's own key (V3). */
  ownKey: boolean;
  /** True when the service may lack the route to the model. */
  routed: boolean;
  provider: string;
  /** Names that a text may use for the model: its own and the one that it stands for. */
  names: readonly string[];
}

const levels = ['disabled', 'low', 'medium', 'high'] as const;

interface ModelRow {
  name: string;
  provider: string;
  availability: string;
  aliasOf?: string;
}

/** Every cell of the matrix of a generation, in the order of the table. */
export function levelCells(generation: 'v2' | 'v3'): LevelCell[] {
  const rows: readonly ModelRow[] = models[generation].models;
  return thinkingLevels[generation].flatMap((row) => {
    const model = rows.find(({ name }) => name === row.model);
    if (model === undefined) throw new Error(`generated/rules.ts: ${row.model} has levels and no row in models`);
    return levels.map((level) => cellOf(model, level, row.levels));
  });
}

function cellOf(model: ModelRow, level: string, supported: readonly string[]): LevelCell {
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
