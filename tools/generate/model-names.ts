import type { RuleTables } from './rule-tables.ts';

/** Which rows of a table a document lists. */
export interface NameOptions {
  /** Only rows that the contract states: the contract's part of a document lists no others. */
  readonly contractOnly: boolean;
}

/** The names that `x-enum-from` asks for, in the order of spec/rules/models.yaml: `models.v2`, `models.v3` or `models.v4`. */
export function modelNames(table: string, { models }: RuleTables, { contractOnly }: NameOptions): string[] {
  const version = (['v2', 'v3', 'v4'] as const).find((candidate) => `models.${candidate}` === table);
  if (version === undefined) {
    throw new Error(`x-enum-from: found ${JSON.stringify(table)}, expected models.v2, models.v3 or models.v4`);
  }
  const rows = models[version].models;
  return rows.filter(({ source }) => !contractOnly || source.startsWith('contract')).map(({ name }) => name);
}
