/** Structured outputs: creates an instance of a JSON Schema. Active faults make the instance violate the schema. */
import type { FaultId } from '../faults/index.ts';
import type { Faults, Json } from './world.ts';

type Distort = (value: unknown, schema: Json) => unknown;

/** Changes that make one value of the instance violate its schema, by fault id. */
const distortions: Partial<Record<FaultId, Distort>> = {
  'out-number-as-text': (value) => (typeof value === 'number' ? String(value) : value),
  'out-integer-fraction': (value, schema) => (schema['type'] === 'integer' ? Number(value) + 0.5 : value),
  'out-boolean-as-text': (value) => (typeof value === 'boolean' ? String(value) : value),
  'out-enum-outside': (value, schema) => (Array.isArray(schema['enum']) ? `${String(value)} or so` : value),
  'out-enum-case': (value, schema) =>
    Array.isArray(schema['enum']) && typeof value === 'string' ? swapCase(value) : value,
  'out-bound-broken': (value, schema) => {
    if (typeof schema['minimum'] === 'number') return schema['minimum'] - 1;
    return typeof schema['maximum'] === 'number' ? schema['maximum'] + 1 : value;
  },
  'out-too-long': (value, schema) =>
    typeof schema['maxLength'] === 'number' ? 'x'.repeat(schema['maxLength'] + 1) : value,
  'out-too-few-items': (value, schema) => (Number(schema['minItems']) > 0 ? [] : value),
  'out-too-many-items': (value, schema) => {
    if (typeof schema['maxItems'] !== 'number' || !Array.isArray(value)) return value;
    return Array.from({ length: schema['maxItems'] + 1 }, () => (value[0] as unknown) ?? 'x');
  },
  'out-required-missing': (value, schema) => {
    const required = schema['required'];
    if (!isObject(value) || !Array.isArray(required)) return value;
    const last = String(required.at(-1));
    return Object.fromEntries(Object.entries(value).filter(([name]) => name !== last));
  },
  'out-extra-member': (value, schema) =>
    isObject(value) && schema['additionalProperties'] === false ? { ...value, remark: 'added' } : value,
  'out-array-as-object': (value) => (Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : value),
  'out-const-changed': (value, schema) => ('const' in schema ? `${String(value)}!` : value),
  'out-null-member': (value, schema) => (schema['type'] === 'string' && !('enum' in schema) ? null : value),
};

/** Returns a value that matches a schema. Active faults change the value at each location, including the root. */
export function instanceFor(schema: Json, faults: Faults): unknown {
  const root = schema;
  const build = (at: Json, depth: number): unknown => {
    const value = plainInstance(resolve(at, root), (inner) => build(inner, depth + 1));
    return distorted(value, resolve(at, root), faults);
  };
  return build(schema, 0);
}

function distorted(value: unknown, schema: Json, faults: Faults): unknown {
  let result = value;
  for (const [id, distort] of faults.entries(distortions)) {
    const changed = distort(result, schema);
    if (changed !== result) faults.has(id);
    result = changed;
  }
  return result;
}

function resolve(schema: Json, root: Json): Json {
  const reference = schema['$ref'];
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return schema;
  let found: unknown = root;
  for (const part of reference.slice(2).split('/')) found = isObject(found) ? found[part] : undefined;
  return isObject(found) ? found : {};
}

function plainInstance(schema: Json, build: (inner: Json) => unknown): unknown {
  if ('const' in schema) return schema['const'];
  const options = schema['enum'];
  if (Array.isArray(options)) return options[0] as unknown;
  for (const word of ['anyOf', 'oneOf'] as const) {
    const first = firstObject(schema[word]);
    if (first) return build({ ...without(schema, word), ...first });
  }
  if (Array.isArray(schema['allOf'])) return build(merged(schema));
  return byType(schema, build);
}

function byType(schema: Json, build: (inner: Json) => unknown): unknown {
  const types = schema['type'];
  const type: unknown = Array.isArray(types) ? types[0] : types;
  if (type === 'object' || (type === undefined && isObject(schema['properties']))) return objectFor(schema, build);
  if (type === 'array') return arrayFor(schema, build);
  if (type === 'integer' || type === 'number') return numberFor(schema);
  if (type === 'boolean') return true;
  if (type === 'null') return null;
  return textFor(schema);
}

function objectFor(schema: Json, build: (inner: Json) => unknown): Json {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const result: Json = {};
  for (const [name, inner] of Object.entries(properties)) result[name] = build(isObject(inner) ? inner : {});
  const required: unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  for (const name of required) if (!(String(name) in result)) result[String(name)] = 'given';
  return result;
}

function arrayFor(schema: Json, build: (inner: Json) => unknown): unknown[] {
  const least = typeof schema['minItems'] === 'number' ? schema['minItems'] : 1;
  const most = typeof schema['maxItems'] === 'number' ? schema['maxItems'] : Infinity;
  const items = isObject(schema['items']) ? schema['items'] : {};
  return Array.from({ length: Math.min(Math.max(least, 1), most) }, () => build(items));
}

function numberFor(schema: Json): number {
  if (typeof schema['minimum'] === 'number') return Math.ceil(schema['minimum']);
  if (typeof schema['exclusiveMinimum'] === 'number') return Math.floor(schema['exclusiveMinimum']) + 1;
  if (typeof schema['maximum'] === 'number') return Math.floor(schema['maximum']);
  return 7;
}

const formats: Readonly<Record<string, string>> = {
  date: '2026-01-02',
  'date-time': '2026-01-02T03:04:05Z',
  time: '03:04:05Z',
  uri: 'https://example.com/',
  email: 'reader@example.com',
  uuid: '7e57d004-2b97-4e7a-b45f-5387367791cd',
};

function textFor(schema: Json): string {
  const format = formats[String(schema['format'])];
  if (format) return format;
  const least = typeof schema['minLength'] === 'number' ? schema['minLength'] : 0;
  const most = typeof schema['maxLength'] === 'number' ? schema['maxLength'] : 1000;
  return 'Example text'.padEnd(least, '.').slice(0, most);
}

function merged(schema: Json): Json {
  const parts: unknown[] = Array.isArray(schema['allOf']) ? schema['allOf'] : [];
  return parts.reduce<Json>((sum, part) => ({ ...sum, ...(isObject(part) ? part : {}) }), without(schema, 'allOf'));
}

function firstObject(list: unknown): Json | undefined {
  const first: unknown = Array.isArray(list) ? list[0] : undefined;
  return isObject(first) ? first : undefined;
}

function without(schema: Json, word: string): Json {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== word));
}

/** Returns true if a value is a JSON object. */
export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function swapCase(text: string): string {
  return text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase();
}
