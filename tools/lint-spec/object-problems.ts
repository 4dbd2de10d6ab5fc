import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';

/** What says which members an object has. */
const shapes = ['properties', 'additionalProperties', 'patternProperties', 'allOf', 'anyOf', 'oneOf', '$ref'];

/** Members whose values are data and no schemas. */
const data = ['example', 'examples', 'default', 'enum', 'const', 'links'];

/**
 * An object says what it holds, also when it holds anything: a generator of clients takes an object without members for one
 * that has none, and nothing can be put into it.
 */
export function objectProblems(document: JsonObject): string[] {
  return visit(document, '#').map(
    (pointer) =>
      `${pointer}: found an object without members, expected properties, a reference, or what else it may hold. Add ` +
      '"additionalProperties: true" when it may hold anything',
  );
}

function visit(node: JsonValue, pointer: string): string[] {
  if (Array.isArray(node)) return node.flatMap((member, index) => visit(member, `${pointer}/${index}`));
  if (!isJsonObject(node)) return [];
  const { type } = node;
  const isObject = type === 'object' || (Array.isArray(type) && type.includes('object'));
  const here = isObject && !shapes.some((keyword) => keyword in node) ? [pointer] : [];
  const below = Object.entries(node).flatMap(([name, member]) =>
    data.includes(name) ? [] : visit(member, `${pointer}/${name}`),
  );
  return [...here, ...below];
}
