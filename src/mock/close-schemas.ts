import { type JsonObject, isJsonObject } from '#lib/json.ts';

/**
 * A copy of a document whose named object schemas allow no other members than those they list, so that invented answers
 * hold documented members only. Never for judging: a document of the interface stays open to new members.
 */
export function closeSchemas(document: JsonObject): JsonObject {
  const copy = structuredClone(document);
  const components = copy['components'];
  const schemas = isJsonObject(components) ? components['schemas'] : undefined;
  for (const schema of isJsonObject(schemas) ? Object.values(schemas) : []) {
    if (isJsonObject(schema) && isJsonObject(schema['properties'])) schema['additionalProperties'] = false;
  }
  return copy;
}
