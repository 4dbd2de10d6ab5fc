import type { JsonObject } from '#lib/json.ts';

/** The parameters of a tool: an object of these members, all of them required but the `optional` ones, and no others. */
export function parameters(
  properties: Readonly<Record<string, JsonObject>>,
  optional: readonly string[] = [],
): JsonObject {
  return {
    type: 'object',
    properties: { ...properties },
    required: Object.keys(properties).filter((name) => !optional.includes(name)),
    additionalProperties: false,
  };
}

/** An element of the page, by the reference that the outline gives it. */
export const REF: JsonObject = {
  type: 'string',
  description: 'Reference of the element in the latest outline, such as e12',
};
