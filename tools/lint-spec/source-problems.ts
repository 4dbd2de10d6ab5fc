import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';
import { listOperations } from '../../src/cli/spec/documents.ts';

const source = /^(contract|companion|decision) \S/;

/**
 * Returns a problem for each missing or invalid source, and each missing description, of an operation, parameter,
 * response, schema or member.
 */
export function sourceProblems(document: JsonObject): string[] {
  const operations = listOperations(document).flatMap(({ method, path, operation }) => {
    const where = `${method} ${path}`;
    return [
      ...judge(operation, where),
      ...responses(operation['responses'], where),
      ...parameters(operation['parameters'], where),
    ];
  });
  const components = isJsonObject(document['components']) ? document['components'] : {};
  return [
    ...operations,
    ...members(components['schemas']).flatMap(([name, schema]) => schemaProblems(schema, `schema ${name}`)),
    ...responses(components['responses'], 'components'),
    ...members(components['parameters']).flatMap(([name, parameter]) => judge(parameter, `parameter ${name}`)),
  ];
}

function judge(node: JsonObject, where: string): string[] {
  const found = node['x-source'];
  return [
    ...(typeof found === 'string' && source.test(found)
      ? []
      : [
          `${where}: found the x-source ${JSON.stringify(found) ?? 'missing'}, expected text that begins with contract, companion or decision and says where, for example "contract 4 Endpoints"`,
        ]),
    ...(typeof node['description'] === 'string' && node['description'] !== ''
      ? []
      : [`${where}: found no description, expected one. Add a sentence that says what it means`]),
  ];
}

/** Returns the problems of a schema and its members. */
function schemaProblems(schema: JsonObject, where: string): string[] {
  return [
    ...judge(schema, where),
    ...members(schema['properties']).flatMap(([name, property]) => schemaProblems(property, `${where}.${name}`)),
  ];
}

function responses(value: JsonValue | undefined, where: string): string[] {
  return members(value)
    .filter(([, response]) => !('$ref' in response))
    .flatMap(([status, response]) => [
      ...judge(response, `${where} ${status}`),
      ...inlineSchema(response, `${where} ${status} body`),
    ]);
}

function inlineSchema(response: JsonObject, where: string): string[] {
  return members(response['content']).flatMap(([, media]) => {
    const schema = media['schema'];
    return isJsonObject(schema) && !('$ref' in schema) ? schemaProblems(schema, where) : [];
  });
}

function parameters(value: JsonValue | undefined, where: string): string[] {
  const list = Array.isArray(value) ? value.filter(isJsonObject) : [];
  return list
    .filter((parameter) => !('$ref' in parameter))
    .flatMap((parameter) => judge(parameter, `${where} parameter ${JSON.stringify(parameter['name'])}`));
}

function members(value: JsonValue | undefined): [string, JsonObject][] {
  return isJsonObject(value)
    ? Object.entries(value).flatMap(([name, member]): [string, JsonObject][] =>
        isJsonObject(member) ? [[name, member]] : [],
      )
    : [];
}
