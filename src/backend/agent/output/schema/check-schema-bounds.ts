import type { JsonObject, JsonValue } from '#domain/json.ts';

const CHARACTERS_MAX = 65_536;
const DEPTH_MAX = 32;

/**
 * Why a schema from outside is not worked with, or null when it is within bounds: at most 65,536 characters as JSON,
 * nested at most 32 deep, references only into itself.
 */
export function checkSchemaBounds(schema: JsonObject): string | null {
  const depth = depthOf(schema, 0);
  if (depth > DEPTH_MAX) return `the output schema is nested deeper than ${DEPTH_MAX} levels`;
  if (JSON.stringify(schema).length > CHARACTERS_MAX)
    return `the output schema has more than ${CHARACTERS_MAX} characters`;
  return hasRemoteReference(schema) ? 'the output schema refers to another document' : null;
}

/** Stops one level below the bound, so that no input can exhaust the stack. */
function depthOf(value: JsonValue, level: number): number {
  if (value === null || typeof value !== 'object' || level > DEPTH_MAX) return level;
  return Object.values(value).reduce<number>((deepest, member) => Math.max(deepest, depthOf(member, level + 1)), level);
}

function hasRemoteReference(value: JsonValue): boolean {
  if (value === null || typeof value !== 'object') return false;
  return Object.entries(value).some(([name, member]) => {
    if (/^\$(dynamic|recursive)?ref$/i.test(name) && typeof member === 'string') return !member.startsWith('#');
    return hasRemoteReference(member);
  });
}
