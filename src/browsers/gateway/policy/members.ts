import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';

/** The value of a member, `a` or `a.b`; undefined when it is not there. */
export function memberAt(params: JsonObject, path: string): JsonValue | undefined {
  const [first, rest] = parts(path);
  const value = Object.hasOwn(params, first) ? params[first] : undefined;
  if (rest === undefined) return value;
  return isJsonObject(value) ? memberAt(value, rest) : undefined;
}

/** A copy in which a member of the first level has another value; the same object where it has that value. */
export function withMember(params: JsonObject, name: string, value: JsonValue): JsonObject {
  return params[name] === value ? params : { ...params, [name]: value };
}

/** A copy without a member of the first level; the same object where there is none. */
export function withoutMember(params: JsonObject, name: string): JsonObject {
  if (!Object.hasOwn(params, name)) return params;
  const { [name]: _dropped, ...rest } = params;
  return rest;
}

function parts(path: string): [string, string | undefined] {
  const dot = path.indexOf('.');
  return dot === -1 ? [path, undefined] : [path.slice(0, dot), path.slice(dot + 1)];
}
