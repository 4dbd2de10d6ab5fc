import { type JsonValue, isJsonObject } from '#lib/json.ts';

const wording = new Set(['description', 'title', 'summary', 'example', 'examples', 'externalDocs', 'deprecated']);

/**
 * A copy without what only explains: descriptions, examples and `x-` members; names in order, so that two copies that mean
 * the same read the same. Members of `properties` keep their names, whatever they are called.
 */
export function withoutWording(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((member) => withoutWording(member));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !wording.has(name) && !name.startsWith('x-'))
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, member]) => [name, name === 'properties' ? named(member) : withoutWording(member)]),
  );
}

function named(properties: JsonValue): JsonValue {
  if (!isJsonObject(properties)) return properties;
  const members = Object.entries(properties).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, withoutWording(member)]));
}
