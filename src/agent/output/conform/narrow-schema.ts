import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts';
import { accepts, acceptsNull } from './schema-types.ts';

/**
 * One step closer to a schema with a type of its own: a reference followed, parts merged, the alternative chosen that
 * has room for the proposal, or else for null. Gives back the very same object when there is nothing left to do.
 */
export function narrowSchema(schema: JsonObject, root: JsonObject, proposal: JsonValue | undefined): JsonObject {
  const { $ref, allOf, ...rest } = schema;
  if (typeof $ref === 'string') return merged([atPointer(root, $ref), rest]);
  if (Array.isArray(allOf)) return merged([rest, ...allOf]);
  for (const keyword of ['anyOf', 'oneOf']) {
    const { [keyword]: branches, ...others } = schema;
    if (!Array.isArray(branches)) continue;
    return merged([others, chosen(branches, proposal)]);
  }
  return schema;
}

function chosen(branches: readonly JsonValue[], proposal: JsonValue | undefined): JsonValue {
  return branches.find((branch) => accepts(branch, proposal)) ?? branches.find(acceptsNull) ?? branches[0] ?? {};
}

/** Later schemas win, except that properties and required names add up. Takes time linear in the schemas. */
function merged(schemas: readonly JsonValue[]): JsonObject {
  const objects = schemas.filter(isJsonObject);
  const properties = objects.flatMap((one) => Object.entries(objectOrEmpty(one['properties'])));
  const required = objects.flatMap((one) => listOrEmpty(one['required']));
  return {
    ...Object.fromEntries(objects.flatMap((one) => Object.entries(one))),
    ...(properties.length > 0 ? { properties: Object.fromEntries(properties) } : {}),
    ...(required.length > 0 ? { required } : {}),
  };
}

/** The part of a schema that a reference such as `#/$defs/Item` points to; an empty schema when there is none. */
function atPointer(root: JsonObject, reference: string): JsonValue {
  const steps = reference.split('/').slice(1);
  return steps.reduce<JsonValue>((value, step) => {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (value === null || typeof value !== 'object') return {};
    return Object.entries(value).find(([key]) => key === name)?.[1] ?? {};
  }, root);
}

function objectOrEmpty(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function listOrEmpty(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}
