import { type JsonObject, isJsonObject } from '#domain/json.ts';
import { expectObject, expectText } from './parse.ts';
import type { RuleTables } from './rule-tables.ts';

/** Which rows of a table a document is filled with. */
export interface FillOptions {
  /** Only rows that the contract states: the contract's part of a document lists no others. */
  readonly contractOnly: boolean;
}

/**
 * Gives every schema that says `x-enum-from` its enumeration, so that a name is written once, in spec/rules. There is one kind of
 * table so far: `models.v2`, `models.v3`, `models.v4`.
 */
export function fillEnums(document: JsonObject, tables: RuleTables, { contractOnly }: FillOptions): JsonObject {
  const filled = structuredClone(document);
  const schemas = expectObject(expectObject(filled['components'], 'components')['schemas'], 'components.schemas');
  for (const [name, schema] of Object.entries(schemas)) {
    if (!isJsonObject(schema) || !('x-enum-from' in schema)) continue;
    const rows = rowsOf(expectText(schema['x-enum-from'], `${name} x-enum-from`), tables);
    delete schema['x-enum-from'];
    schema['enum'] = rows.filter(({ source }) => !contractOnly || source.startsWith('contract')).map((row) => row.name);
  }
  return filled;
}

function rowsOf(table: string, { models }: RuleTables): RuleTables['models']['v2']['models'] {
  const version = (['v2', 'v3', 'v4'] as const).find((candidate) => `models.${candidate}` === table);
  if (version !== undefined) return models[version].models;
  throw new Error(`x-enum-from: found ${JSON.stringify(table)}, expected models.v2, models.v3 or models.v4`);
}
