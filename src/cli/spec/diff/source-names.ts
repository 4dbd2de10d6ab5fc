import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { isJsonObject } from '#domain/json.ts';

/**
 * The names that the sources of a document take from spec/rules, for example of `models.v3`: read from the rules beside the
 * folder of the document, so that an old tree is read with its own. None where there are no such rules.
 */
export function sourceNames(document: string, table: string): string[] {
  const [name = '', version = ''] = table.split('.');
  const file = join(dirname(document), '..', 'rules', `${name}.yaml`);
  const tables: unknown = existsSync(file) ? parse(readFileSync(file, 'utf8')) : {};
  const generation = isJsonObject(tables) ? tables[version] : undefined;
  const rows = isJsonObject(generation) && Array.isArray(generation[name]) ? generation[name] : [];
  return rows.flatMap((row) => (isJsonObject(row) && typeof row['name'] === 'string' ? [row['name']] : []));
}
