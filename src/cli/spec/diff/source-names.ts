import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';

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

/**
 * Gives the operations of a source the answers that every operation has (common-responses.yaml), in place, with references replaced by what they
 * point to. Does nothing where the rules beside the folder of the document have none.
 */
export function fillCommonResponses(document: JsonObject, file: string): void {
  const spec = join(dirname(file), '..');
  const tables = readObject(join(spec, 'rules', 'common-responses.yaml'));
  const rows = Array.isArray(tables['responses']) ? tables['responses'].filter(isJsonObject) : [];
  for (const { status, response, methods } of rows) {
    const known = Array.isArray(methods) ? methods : [];
    const answer = withSchema(readObject(join(spec, 'shared', 'responses', `${textOf(response)}.yaml`)), spec);
    for (const item of Object.values(isJsonObject(document['paths']) ? document['paths'] : {}))
      for (const [method, operation] of Object.entries(isJsonObject(item) ? item : {})) {
        const answers = isJsonObject(operation) ? operation['responses'] : undefined;
        if (known.includes(method) && isJsonObject(answers)) answers[textOf(status)] ??= structuredClone(answer);
      }
  }
}

/** A shared response whose body is a file of shared schemas, which refer to nothing. */
function withSchema(response: JsonObject, spec: string): JsonObject {
  const content = isJsonObject(response['content']) ? response['content'] : {};
  const body = content['application/json'];
  const schema = isJsonObject(body) && isJsonObject(body['schema']) ? body['schema']['$ref'] : undefined;
  if (isJsonObject(body) && typeof schema === 'string')
    body['schema'] = readObject(join(spec, 'shared', 'responses', schema));
  return response;
}

function readObject(file: string): JsonObject {
  const value: unknown = existsSync(file) ? parse(readFileSync(file, 'utf8')) : {};
  return isJsonObject(value) ? value : {};
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
