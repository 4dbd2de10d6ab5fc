import type { JsonObject, JsonValue } from '#lib/json.ts';

/** A value at a path of members: `reasoning.effort` and `xhigh` give `{reasoning: {effort: 'xhigh'}}`. The path has at least one member. */
export function nested(path: string, value: JsonValue): JsonObject {
  const [name = '', ...rest] = path.split('.');
  return { [name]: rest.length === 0 ? value : nested(rest.join('.'), value) };
}
