import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';

/** Maximum number of entries of a generated array, and of alternatives that {@link areApart} compares. */
export const entriesMax = 100;

/**
 * Annotation keywords, which restrict no value. If both schemas of a merge have one of these keywords, the result has
 * the value of the second schema.
 */
const notes = [
  'title',
  'description',
  'default',
  'examples',
  'example',
  '$schema',
  '$id',
  '$defs',
  'definitions',
  '$comment',
];

/**
 * Merges two schemas into a schema for values that satisfy both. Returns null when a keyword differs and has no merge
 * rule, or when one schema restricts members or array entries that only the other describes.
 */
export function combined(one: JsonObject, other: JsonObject): JsonObject | null {
  if (closes(one, other) || closes(other, one)) return null;
  const sum: Record<string, JsonValue> = { ...one };
  for (const [keyword, value] of Object.entries(other)) {
    const known = Object.hasOwn(one, keyword) ? one[keyword] : undefined;
    const both = known === undefined || notes.includes(keyword) ? value : combinedKeyword(keyword, known, value);
    if (both === undefined) return null;
    sum[keyword] = both;
  }
  return sum;
}

/** Returns whether the schema `one` restricts members or array entries that only the schema `other` describes. */
function closes(one: JsonObject, other: JsonObject): boolean {
  const { additionalProperties = true } = one;
  const known = objectOrEmpty(one['properties']);
  const isClosed = additionalProperties !== true;
  if (isClosed && Object.keys(objectOrEmpty(other['properties'])).some((name) => !Object.hasOwn(known, name)))
    return true;
  return one['items'] !== undefined && other['prefixItems'] !== undefined && one['prefixItems'] === undefined;
}

/**
 * Keywords that set a lower bound. When two schemas are merged, the greater of two lower bounds applies, and the lesser
 * of two upper bounds.
 */
const lower = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];
const upper = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];

function combinedKeyword(keyword: string, one: JsonValue, other: JsonValue): JsonValue | undefined {
  if (isSame(one, other)) return one;
  if (typeof one === 'number' && typeof other === 'number') {
    if (lower.includes(keyword)) return Math.max(one, other);
    return upper.includes(keyword) ? Math.min(one, other) : undefined;
  }
  switch (keyword) {
    case 'properties':
      return combinedMembers(objectOrEmpty(one), objectOrEmpty(other));
    case 'required':
      return [...new Set([...arrayOrEmpty(one), ...arrayOrEmpty(other)])];
    case 'allOf':
      return [...arrayOrEmpty(one), ...arrayOrEmpty(other)];
    case 'enum':
      return arrayOrEmpty(one).filter((value) => arrayOrEmpty(other).some((word) => isSame(word, value)));
    default:
      return undefined;
  }
}

/** Merges the `properties` of two schemas. A member that occurs in both must satisfy both of its schemas. */
function combinedMembers(one: JsonObject, other: JsonObject): JsonObject {
  const shared = Object.keys(other).filter((name) => Object.hasOwn(one, name));
  const members = shared.map((name): [string, JsonObject] => [
    name,
    { allOf: [one[name] ?? true, other[name] ?? true] },
  ]);
  return { ...one, ...other, ...Object.fromEntries(members) };
}

/**
 * Returns whether no value can match two of the alternatives. Two alternatives exclude each other if they have no
 * common type, no common enumerated value, or no common enumerated value of a member that both require. Returns false
 * for more than `entriesMax` alternatives.
 */
export function areApart(branches: readonly JsonValue[], resolved: (branch: JsonValue) => JsonValue): boolean {
  const schemas = branches.slice(0, entriesMax).map(resolved);
  return (
    branches.length <= entriesMax &&
    schemas.every((one, at) => schemas.slice(at + 1).every((other) => isApart(one, other)))
  );
}

function isApart(one: JsonValue, other: JsonValue): boolean {
  if (!isJsonObject(one) || !isJsonObject(other)) return one === false || other === false;
  const [types, others] = [namedTypes(one), namedTypes(other)];
  if (types !== null && others !== null && !types.some((type) => others.some((second) => overlap(type, second))))
    return true;
  const [words, otherWords] = [enumValues(one), enumValues(other)];
  if (words !== null && otherWords !== null) return areDisjoint(words, otherWords);
  return arrayOrEmpty(one['required']).some((name) => {
    if (typeof name !== 'string' || !arrayOrEmpty(other['required']).includes(name)) return false;
    const [mine, theirs] = [objectOrEmpty(one['properties'])[name], objectOrEmpty(other['properties'])[name]];
    const [first, second] = [enumValues(mine), enumValues(theirs)];
    return first !== null && second !== null && areDisjoint(first, second);
  });
}

function overlap(one: string, other: string): boolean {
  return one === other || (['integer', 'number'].includes(one) && ['integer', 'number'].includes(other));
}

/**
 * Returns the values in `enum` of a schema; null without an enumeration. A `const` counts as an enumeration of one
 * value.
 */
export function enumValues(schema: JsonValue | undefined): readonly JsonValue[] | null {
  if (!isJsonObject(schema)) return null;
  const words = Array.isArray(schema['enum']) ? schema['enum'] : null;
  const constant = schema['const'];
  if (constant === undefined) return words;
  return words === null || words.some((word) => isSame(word, constant)) ? [constant] : [];
}

function areDisjoint(one: readonly JsonValue[], other: readonly JsonValue[]): boolean {
  return one.every((word) => !other.some((second) => isSame(word, second)));
}

function isSame(one: JsonValue, other: JsonValue): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Returns the types that a schema names; null when it names none. */
export function namedTypes({ type }: JsonObject): string[] | null {
  if (typeof type === 'string') return [type];
  return Array.isArray(type) ? type.filter((one) => typeof one === 'string') : null;
}

/** Returns whether a value has a JSON Schema type. */
export function isOfType(type: string, value: JsonValue): boolean {
  if (value === null) return type === 'null';
  if (Array.isArray(value)) return type === 'array';
  return type === 'integer' ? Number.isInteger(value) : typeof value === type;
}

/** Returns the type implied by the keywords of a schema without `type`; `string` if they imply none. */
export function impliedType(schema: JsonObject): string {
  const has = (...keywords: readonly string[]): boolean => keywords.some((keyword) => Object.hasOwn(schema, keyword));
  if (has('properties', 'required', 'additionalProperties', 'minProperties')) return 'object';
  if (has('items', 'prefixItems', 'minItems')) return 'array';
  return has('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf') ? 'number' : 'string';
}

/** Returns a schema without one keyword. */
export function schemaWithout(schema: JsonObject, keyword: string): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== keyword));
}

/** Returns an object unchanged, and an empty object for any other value. */
export function objectOrEmpty(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Returns an array unchanged, and an empty array for any other value. */
export function arrayOrEmpty(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

/** Returns a number unchanged, and the default for any other value. */
export function numberOr(value: JsonValue | undefined, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}
