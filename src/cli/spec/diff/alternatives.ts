import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts';
import { changeKinds } from './change-kinds.ts';
import { type Change, changeAt, type Pair, type Place } from './change.ts';

/**
 * A schema with one type, or without a restriction of the type, and without anyOf and oneOf. Its allOf, if any,
 * contains only conditional schemas.
 */
export interface Alternative {
  /** A JSON Schema type name, or `any` without a restriction. */
  readonly type: string;
  readonly schema: JsonObject;
  /** The enumerated values of this type; null without an enumeration. */
  readonly values: readonly JsonValue[] | null;
}

const memberKeywords = ['properties', 'required', 'additionalProperties', 'minProperties', 'maxProperties'];
/**
 * Keywords by the only type to which they apply. A schema without `type` that has only keywords of one type counts as a
 * schema of this type.
 */
const typeOfKeyword: Readonly<Record<string, readonly string[]>> = {
  object: memberKeywords,
  array: ['items', 'minItems', 'maxItems', 'uniqueItems'],
  string: ['pattern', 'minLength', 'maxLength', 'format'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
};

/**
 * Returns the alternatives of a schema: one for each type in each branch of anyOf or oneOf. Returns an empty list for a
 * schema that allows no value, such as `false`.
 */
export function listAlternatives(schema: JsonValue | undefined): readonly Alternative[] {
  if (schema === false) return [];
  const { anyOf, oneOf, ...rest } = flatten(isJsonObject(schema) ? schema : {});
  const branches = [anyOf, oneOf].find((list) => Array.isArray(list));
  if (branches !== undefined) return branches.flatMap((branch) => listAlternatives({ allOf: [rest, branch] }));
  const found = namedTypes(rest).map((type) => ({ type, schema: rest, values: enumValues(rest, type) }));
  return found.filter(({ type, values }) => values?.length !== 0 && (type !== 'null' || allowsNull(rest)));
}

function allowsNull(schema: JsonObject): boolean {
  const listed = listedValues(schema);
  return listed === null || listed.includes(null);
}

/** Merges the schemas in the `allOf` of a schema into this schema. Conditional schemas stay in the `allOf`. */
export function flatten(schema: JsonObject): JsonObject {
  const { allOf, ...own } = schema;
  const members = (Array.isArray(allOf) ? allOf : []).filter(isJsonObject);
  const merged = members
    .filter((member) => !('if' in member))
    .reduce((left, right) => merge(left, flatten(right)), own);
  const conditions = [...arrayOrEmpty(merged['allOf']), ...members.filter((member) => 'if' in member)];
  return conditions.length === 0 ? merged : { ...merged, allOf: conditions };
}

/** Whether a larger number allows more values, for each keyword with a numeric bound. */
export const limits: Readonly<Record<string, boolean>> = {
  maximum: true,
  exclusiveMaximum: true,
  maxLength: true,
  maxItems: true,
  maxProperties: true,
  minimum: false,
  exclusiveMinimum: false,
  minLength: false,
  minItems: false,
  minProperties: false,
};

/**
 * Merges two schemas: `properties`, `required` and `allOf` are united, enumerations and types are intersected, and of
 * two limits the tighter one applies. For any other keyword, the value of `right` applies.
 */
function merge(left: JsonObject, right: JsonObject): JsonObject {
  const merged: JsonObject = { ...left, ...right, ...tighterLimits(left, right) };
  if (isJsonObject(left['properties']) && isJsonObject(right['properties'])) {
    merged['properties'] = mergeMembers(left['properties'], right['properties']);
  }
  for (const name of ['required', 'allOf']) merged[name] = [...arrayOrEmpty(left[name]), ...arrayOrEmpty(right[name])];
  for (const name of ['required', 'allOf']) if (arrayOrEmpty(merged[name]).length === 0) delete merged[name];
  const [ofLeft, ofRight] = [left['enum'], right['enum']];
  if (Array.isArray(ofLeft) && Array.isArray(ofRight)) merged['enum'] = ofLeft.filter(isIn(ofRight));
  if ('type' in left && 'type' in right) {
    merged['type'] = typeNames(left['type']).filter((type) => typeNames(right['type']).includes(type));
  }
  return merged;
}

/** Returns the tighter one of each limit that both schemas have. */
function tighterLimits(left: JsonObject, right: JsonObject): JsonObject {
  const both = Object.entries(limits).flatMap(([name, largerAllowsMore]): [string, number][] => {
    const [one, other] = [left[name], right[name]];
    if (typeof one !== 'number' || typeof other !== 'number') return [];
    return [[name, largerAllowsMore ? Math.min(one, other) : Math.max(one, other)]];
  });
  return Object.fromEntries(both);
}

function mergeMembers(left: JsonObject, right: JsonObject): JsonObject {
  const merged: JsonObject = { ...left, ...right };
  for (const name of Object.keys(left)) {
    const [ofLeft, ofRight] = [left[name], right[name]];
    if (ofLeft !== undefined && ofRight !== undefined) merged[name] = { allOf: [ofLeft, ofRight] };
  }
  return merged;
}

function namedTypes(schema: JsonObject): readonly string[] {
  const listed = listedValues(schema);
  if (listed !== null && !('type' in schema)) return [...new Set(listed.map(getType))];
  if ('type' in schema) return [...new Set(typeNames(schema['type']))];
  const implied = Object.entries(typeOfKeyword).filter(([, keywords]) => keywords.some((name) => name in schema));
  const [only] = implied;
  return only !== undefined && implied.length === 1 ? [only[0]] : ['any'];
}

function enumValues(schema: JsonObject, type: string): readonly JsonValue[] | null {
  if (type === 'null' || type === 'any') return null;
  const listed = listedValues(schema);
  return listed === null ? null : listed.filter((value) => getType(value) === type || hasType(value, type));
}

function listedValues(schema: JsonObject): readonly JsonValue[] | null {
  const { const: only, enum: listed } = schema;
  if (only !== undefined) return [only];
  return Array.isArray(listed) ? listed : null;
}

function hasType(value: JsonValue, type: string): boolean {
  return type === 'number' && typeof value === 'number';
}

function getType(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

function typeNames(type: JsonValue | undefined): string[] {
  return (Array.isArray(type) ? type : [type ?? null]).filter((name) => typeof name === 'string');
}

function arrayOrEmpty(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}

/** Returns a predicate that tells whether a list contains a value; values are compared as JSON text. */
export function isIn(list: readonly JsonValue[]): (value: JsonValue) => boolean {
  const texts = new Set(list.map((member) => JSON.stringify(member)));
  return (value) => texts.has(JSON.stringify(value));
}

/** A function that compares two alternatives of one type. */
type Compare = (old: Alternative, fresh: Alternative) => Change[];

/**
 * Returns the changes between the alternatives of two schemas. Pairs each old alternative with a new alternative that
 * accepts all its values. Pairs the remaining old alternatives with the unused new alternatives, in their order. An old
 * alternative without a partner was removed. A new alternative without a partner was added, unless an old alternative
 * allows all its values.
 */
export function pairAlternatives(
  { old, new: fresh }: Pair<readonly Alternative[]>,
  place: Place,
  compare: Compare,
): Change[] {
  const [before] = old;
  const [after] = fresh;
  if (before !== undefined && after !== undefined && old.length === 1 && fresh.length === 1)
    return compare(before, after);
  const covered = old.map((candidate) => ({ candidate, by: findCover(candidate, fresh, compare) }));
  const used = new Set(covered.map(({ by }) => by?.alternative));
  const lost = covered.filter(({ by }) => by === null).map(({ candidate }) => candidate);
  const unused = fresh.filter((candidate) => !used.has(candidate));
  const gained = unused
    .slice(lost.length)
    .filter((candidate) => !old.some((other) => !widens(compare(other, candidate))));
  return unique([
    ...covered.flatMap(({ by }) => by?.changes ?? []),
    ...lost.flatMap((candidate, index) => {
      const partner = unused[index];
      return partner === undefined ? [changeAt(place, 'alternativeRemoved')] : compare(candidate, partner);
    }),
    ...gained.map(() => changeAt(place, 'alternativeAdded')),
  ]);
}

interface Cover {
  readonly alternative: Alternative;
  readonly changes: readonly Change[];
}

/**
 * Returns, of the new alternatives that accept all values of an old alternative, the alternative with the fewest
 * changes; null if none accepts all values.
 */
function findCover(candidate: Alternative, among: readonly Alternative[], compare: Compare): Cover | null {
  const covers = among
    .map((alternative) => ({ alternative, changes: compare(candidate, alternative) }))
    .filter(({ changes }) => !changes.some(({ kind }) => changeKinds[kind].request === 'breaking'))
    .toSorted((left, right) => left.changes.length - right.changes.length);
  return covers[0] ?? null;
}

function widens(changes: readonly Change[]): boolean {
  return changes.some(({ kind }) => changeKinds[kind].response !== 'fine');
}

function unique(changes: readonly Change[]): Change[] {
  return [...new Map(changes.map((change) => [JSON.stringify(change), change])).values()];
}
