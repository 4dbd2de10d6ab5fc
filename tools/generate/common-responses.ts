import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';
import { expectObject } from './parse.ts';
import type { RuleTables } from './rule-tables.ts';

const shared = 'spec/shared';

/**
 * When the service sends a common response: `connection` for a rejection before routing, `operation` for a response of
 * an operation.
 */
export type CommonLevel = RuleTables['commonResponses']['responses'][number]['level'];

/**
 * Returns a copy of a document in which operations also document the responses of common-responses.yaml. An operation
 * receives a response if the level of the response is in `levels`, its methods include the method of the operation, and
 * the operation does not document its status. Throws for a missing response file, and for a reference outside of the
 * shared schemas.
 */
export function withCommonResponses(
  document: JsonObject,
  { commonResponses }: RuleTables,
  levels: readonly CommonLevel[],
): JsonObject {
  const filled = structuredClone(document);
  const components = expectObject(filled['components'], 'components');
  for (const { status, response, methods } of commonResponses.responses.filter(({ level }) => levels.includes(level))) {
    const lacking = getOperations(filled, methods).filter(
      (operation) => !(status in expectObject(operation['responses'], 'responses')),
    );
    if (lacking.length === 0) continue;
    for (const operation of lacking)
      expectObject(operation['responses'], 'responses')[status] = { $ref: `#/components/responses/${response}` };
    addComponent(components, 'responses', response);
  }
  return filled;
}

function getOperations(document: JsonObject, methods: readonly string[]): JsonObject[] {
  return Object.entries(expectObject(document['paths'], 'paths')).flatMap(([path, item]) =>
    Object.entries(expectObject(item, path))
      .filter(([method]) => methods.includes(method))
      .map(([method, operation]) => expectObject(operation, `${method} ${path}`)),
  );
}

/**
 * Adds the response or schema in a file of spec/shared to the components, with all schemas that it refers to. Does
 * nothing if a component has this kind and name.
 */
function addComponent(components: JsonObject, kind: 'responses' | 'schemas', name: string): void {
  const group = isJsonObject(components[kind]) ? components[kind] : {};
  components[kind] = group;
  if (name in group) return;
  const file = join(shared, kind, `${name}.yaml`);
  group[name] = withReferences(expectObject(parse(readFileSync(file, 'utf8')), file), file, (schema) =>
    addComponent(components, 'schemas', schema),
  );
}

/**
 * Returns a copy of a value in which references to schema files are references to components. Calls `found` with the
 * name of each such schema. Throws for any other reference.
 */
function withReferences<Value extends JsonValue>(value: Value, file: string, found: (schema: string) => void): Value {
  const copy = (node: JsonValue, key: string): JsonValue => {
    if (Array.isArray(node)) return node.map((entry) => copy(entry, ''));
    if (isJsonObject(node)) return Object.fromEntries(Object.entries(node).map(([name, at]) => [name, copy(at, name)]));
    if (key !== '$ref') return node;
    const schema = /^(?:\.\.\/schemas|\.)\/(\w+)\.yaml$/.exec(String(node))?.[1];
    if (schema === undefined) throw new Error(`${file}: found ${String(node)}, expected a file of ${shared}/schemas`);
    found(schema);
    return `#/components/schemas/${schema}`;
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a copy has the shape of what it was made of
  return copy(value, '') as Value;
}
