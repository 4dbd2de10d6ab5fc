import { thinkingLevels, modelParams, models } from '#generated/rules.ts';
import type { JsonObject } from '#lib/json.ts';

/** One cell of a reasoning matrix as a request. */
export interface Cell {
  readonly version: 'v2' | 'v3' | 'v4';
  /** Path of the operation, below the generation's prefix. */
  readonly path: string;
  /** Name of the schema of the body. */
  readonly schema: string;
  readonly name: string;
  readonly body: JsonObject;
  readonly accepted: boolean;
}

const levels = ['disabled', 'low', 'medium', 'high'] as const;

/** Returns every cell of the three matrices, and requests without a level for every model. */
export function matrixCells(): readonly Cell[] {
  return [...v2Cells(), ...v3Cells(), ...v4Cells()];
}

function v2Cells(): Cell[] {
  return thinkingLevels.v2.flatMap((row) => {
    const supported: readonly string[] = row.levels;
    return [...levels, null, undefined].map((level) => ({
      version: 'v2' as const,
      path: '/tasks',
      schema: 'CreateTask',
      name: `v2 ${row.model} ${level}`,
      body: { task: 'x', llm: row.model, ...(level === undefined ? {} : { thinkingLevel: level }) },
      accepted: level === null || level === undefined || supported.includes(level),
    }));
  });
}

/**
 * Returns the V3 cells. For a model that only a provider key of the project can serve, requests set `useOwnKey`, so
 * that only the level decides whether they are accepted.
 */
function v3Cells(): Cell[] {
  return thinkingLevels.v3.flatMap((row) => {
    const supported: readonly string[] = row.levels;
    const availability = models.v3.models.find((model) => model.name === row.model)?.availability;
    return [...levels, null, undefined].map((level) => ({
      version: 'v3' as const,
      path: '/sessions',
      schema: 'CreateSession',
      name: `v3 ${row.model} ${level}`,
      body: {
        task: 'x',
        model: row.model,
        ...(level === undefined ? {} : { thinkingLevel: level }),
        ...(availability === 'own-key' ? { useOwnKey: true } : {}),
      },
      accepted: level === null || level === undefined || supported.includes(level),
    }));
  });
}

function v4Cells(): Cell[] {
  const rows: readonly { model: string; path: string; values: readonly string[] }[] = modelParams.matrix;
  const paths = [...new Set(rows.map((row) => row.path))];
  const values = [...new Set(rows.flatMap((row) => row.values))];
  const cell = (model: string, name: string, rest: { params?: JsonObject | null; accepted: boolean }): Cell => ({
    version: 'v4',
    path: '/runs',
    schema: 'CreateRun',
    name: `v4 ${model} ${name}`,
    body: { task: 'x', model, ...(rest.params === undefined ? {} : { modelParams: rest.params }) },
    accepted: rest.accepted,
  });
  return models.v4.models.flatMap(({ name: model }) => [
    cell(model, 'absent', { accepted: true }),
    cell(model, 'null', { params: null, accepted: true }),
    cell(model, '{}', { params: {}, accepted: true }),
    cell(model, 'an unlisted path', { params: { temperature: 1 }, accepted: false }),
    ...paths.flatMap((path) =>
      values.map((value) => {
        const allowed = rows.find((row) => row.model === model && row.path === path)?.values ?? [];
        const [head = '', tail = ''] = path.split('.');
        return cell(model, `${path}=${value}`, {
          params: { [head]: { [tail]: value } },
          accepted: allowed.includes(value),
        });
      }),
    ),
  ]);
}
