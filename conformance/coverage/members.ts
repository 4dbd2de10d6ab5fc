import { type JsonObject, type JsonValue, isJsonObject } from '../harness/json.ts';

/** Deeper members are counted with the one that holds them. */
const depthMax = 4;

/** Finds what a reference of a schema points to. */
export type Resolve = (schema: JsonObject) => JsonObject;

/** Paths of the members that a schema declares: `files`, `files[].name`. */
export function declaredMembers(schema: JsonObject, resolve: Resolve): string[] {
  return [...new Set(declared({ schema, resolve, prefix: '', depth: 0 }))];
}

interface Place {
  schema: JsonObject;
  resolve: Resolve;
  prefix: string;
  depth: number;
}

function declared({ schema, resolve, prefix, depth }: Place): string[] {
  if (depth >= depthMax) return [];
  const whole = resolve(schema);
  const inside = (inner: JsonObject, path: string, step: number): string[] =>
    declared({ schema: inner, resolve, prefix: path, depth: depth + step });
  const own = Object.entries(isJsonObject(whole['properties']) ? whole['properties'] : {}).flatMap(([name, member]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    return [path, ...(isJsonObject(member) ? inside(member, path, 1) : [])];
  });
  const items = isJsonObject(whole['items']) ? inside(whole['items'], `${prefix}[]`, 0) : [];
  const choices = ['allOf', 'anyOf', 'oneOf'].flatMap((word) => {
    const list = whole[word];
    return Array.isArray(list) ? list.filter(isJsonObject).flatMap((choice) => inside(choice, prefix, 0)) : [];
  });
  return [...own, ...items, ...choices];
}

/** Paths of the members that a value carries, written like those of a schema. */
export function carriedMembers(value: JsonValue | undefined, prefix = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => carriedMembers(item, `${prefix}[]`));
  if (!isJsonObject(value) || prefix.split('.').length > depthMax) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    return [path, ...carriedMembers(member, path)];
  });
}
