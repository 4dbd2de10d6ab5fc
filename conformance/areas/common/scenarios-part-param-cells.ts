import { modelParams, models } from '#generated/rules.ts';

/** One value for one path of one V4 model. */
export interface ParamCell {
  /** `<model> <path> <value>`. */
  key: string;
  model: string;
  path: string;
  value: string;
  /** Values that the model takes on the path; empty when it does not take the path at all. */
  supported: readonly string[];
  /** True when the path belongs to models of another provider. */
  foreignPath: boolean;
}

interface MatrixRow {
  model: string;
  path: string;
  values: readonly string[];
}

const rows: readonly MatrixRow[] = modelParams.matrix;
const paths = [...new Set(rows.map((row) => row.path))];
/** No table lists this word. */
const unlisted = 'svc-unlisted';

/** Values outside the list of a path that the model has, and any value for a model without paths. */
export function refusedParamCells(): ParamCell[] {
  const listed = rows.flatMap((row) =>
    [...vocabularyOf(row), unlisted].filter((value) => !row.values.includes(value)).map((value) => cell(row, value)),
  );
  return [...listed, ...modelsWithoutPaths().flatMap((model) => foreignCells(model, false))];
}

/** Values on the list of a path. */
export function acceptedParamCells(): ParamCell[] {
  return rows.flatMap((row) => row.values.map((value) => cell(row, value)));
}

/** Paths that other models have, each with a value that would be right there. */
export function foreignPathCells(): ParamCell[] {
  const withPaths = [...new Set(rows.map((row) => row.model))];
  return withPaths.flatMap((model) => foreignCells(model, true));
}

// Two paths speak one vocabulary when they share a word: efforts and levels do, switches do not.
function vocabularyOf(row: MatrixRow): string[] {
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

function firstValue(path: string): string {
  return rows.find((row) => row.path === path)?.values[0] ?? unlisted;
}

function cell(row: MatrixRow, value: string): ParamCell {
  const { model, path, values } = row;
  return { key: `${model} ${path} ${value}`, model, path, value, supported: values, foreignPath: false };
}
