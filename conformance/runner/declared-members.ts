import { type JsonObject, type JsonValue, isJsonObject } from '../core/json.ts';

/** Maximum depth of declared members; deeper members count as part of their parent. */
const depthMax = 4;

/** Resolves the reference of a schema. */
export type Resolve = (schema: JsonObject) => JsonObject;

/** Returns the paths of the members that a schema declares: `files`, `files[].name`. */
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

/** Predicate for values that contain a member. */
export type Carries = (value: JsonValue | undefined) => boolean;

/** Creates a predicate for values that contain the member at a path of `declaredMembers`. */
export function carrierOf(path: string): Carries {
  const steps = path.split('.').map((part) => {
    const [name = ''] = part.split('[]');
    return { name, lists: (part.length - name.length) / 2 };
  });
  return (value) => carries(value, steps);
}

/** A member name, and the number of nested lists in its value. */
interface Step {
  readonly name: string;
  readonly lists: number;
}

function carries(value: JsonValue | undefined, [step, ...rest]: readonly Step[]): boolean {
  if (step === undefined) return true;
  // An empty name means that the value itself is a list.
  const member = step.name === '' ? value : isJsonObject(value) ? value[step.name] : undefined;
  return member !== undefined && itemsIn(member, step.lists).some((item) => carries(item, rest));
}

function itemsIn(value: JsonValue, lists: number): readonly JsonValue[] {
  if (lists === 0) return [value];
  return Array.isArray(value) ? value.flatMap((item) => itemsIn(item, lists - 1)) : [];
}
