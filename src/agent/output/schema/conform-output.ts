import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts';
import { type ByName, factsByName, membersByName } from '../../answer/facts.ts';
import type { Conformed, Proposal } from '../../output-judge.ts';
import { compileSchema, fits, narrowSchema, SchemaTooLarge, typeFor } from './schema-types.ts';

/**
 * Creates an output for a schema from known values with matching names and types. An unknown value becomes null if the
 * schema allows it, else the schema's default or only allowed value. Without these, the result is a failure, or with
 * `unknown: 'smallest'` (test tasks, which read no page) a small valid value. Validates with JSON Schema 2020-12 in
 * unbounded time: call this function in worker processes only.
 */
export function conformOutput(schema: JsonObject, { answer, facts, unknown }: Proposal): Conformed {
  const byName = facts === null ? () => undefined : factsByName(facts, typeof answer === 'string' ? answer : '');
  const candidates = [() => fillSchema(schema, answer, byName)];
  if (unknown === 'smallest') candidates.push(() => fillSchema(schema, undefined, () => undefined));
  try {
    return firstConforming(schema, candidates, unknown);
  } catch (error) {
    if (error instanceof SchemaTooLarge) return { ok: false, reason: error.message };
    throw error;
  }
}

function firstConforming(
  schema: JsonObject,
  candidates: readonly (() => Filled)[],
  unknown: Proposal['unknown'],
): Conformed {
  const judge = compileSchema(schema);
  if (typeof judge === 'string') return { ok: false, reason: judge };
  let reason = '';
  for (const candidate of candidates) {
    const filled = candidate();
    if (unknown === 'refuse' && filled.unknown.length > 0) return { ok: false, reason: untold(filled.unknown) };
    const [problem] = judge(filled.value);
    if (problem === undefined) return { ok: true, output: filled.value };
    reason ||= problem;
  }
  return { ok: false, reason: `no output could be made that conforms to the output schema (${reason})` };
}

/** Maximum number of unknown members that a message names. */
const namedMax = 5;

function untold(unknown: readonly string[]): string {
  const names = unknown.slice(0, namedMax).map((path) => (path === '' ? 'the value itself' : `"${path}"`));
  const more = unknown.length > namedMax ? ` and ${unknown.length - namedMax} more` : '';
  return `nothing that was read tells ${names.join(', ')}${more}`;
}

/**
 * Maximum number of steps that create a value, such as one step for each member or item. A short schema can require any
 * number of steps through references and minItems.
 */
const partsMax = 100_000;
const depthMax = 64;

/**
 * A value that was created for a schema, and the paths at which the smallest valid value replaces an unknown value.
 */
export interface Filled {
  readonly value: JsonValue;
  /**
   * Paths of the members without a known value, such as `price` or `rows[2].name`. An empty path stands for the whole
   * value.
   */
  readonly unknown: readonly string[];
}

/** A position in the value to create, with the known values that may be used there. */
interface Place {
  readonly path: string;
  /** Known value for this position, used if its type matches the schema; undefined without a known value. */
  readonly proposal: JsonValue | undefined;
  /** Returns the known value for a member name. Used if this position gets an object and `proposal` is no object. */
  readonly members: ByName;
  readonly depth: number;
}

/**
 * Creates a value for a schema. Uses known values of the right type, otherwise null, a default or the smallest valid
 * value. Supports only common keywords, so the result must be validated. Throws {@link SchemaTooLarge} for too many
 * parts or levels.
 */
function fillSchema(schema: JsonObject, proposal: JsonValue | undefined, members: ByName): Filled {
  const filler = new Filler(schema);
  const value = filler.fill(schema, { path: '', proposal, members, depth: 0 });
  return { value, unknown: filler.unknown };
}

class Filler {
  readonly unknown: string[] = [];
  readonly #root: JsonObject;
  #parts = 0;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  fill(schema: JsonValue | undefined, place: Place): JsonValue {
    this.#parts += 1;
    if (this.#parts > partsMax || place.depth > depthMax) throw new SchemaTooLarge();
    if (!isJsonObject(schema)) return place.proposal ?? null;
    const narrowed = narrowSchema(schema, this.#root, place.proposal);
    if (narrowed !== schema) return this.fill(narrowed, { ...place, depth: place.depth + 1 });
    if ('const' in schema) return schema['const'] ?? null;
    if (Array.isArray(schema['enum'])) return this.#fromEnum(schema['enum'], place);
    return this.#byType(schema, place);
  }

  #fromEnum(allowed: readonly JsonValue[], { path, proposal }: Place): JsonValue {
    const found = allowed.find((one) => one === proposal || (proposal === undefined && one === null));
    if (found !== undefined) return found;
    if (allowed.length > 1) this.unknown.push(path);
    return allowed[0] ?? null;
  }

  #byType(schema: JsonObject, place: Place): JsonValue {
    const { path, proposal } = place;
    const type = typeFor(schema, proposal);
    if (type === 'object') return this.#object(schema, place);
    if (type === 'array') return this.#array(schema, place);
    if (type === 'null') return null;
    if (type !== 'string' && fits(type, proposal)) return proposal ?? null;
    if (!fits(type, proposal) && schema['default'] !== undefined) return schema['default'];
    const smallest = getSmallest(type, schema, proposal);
    if (smallest !== proposal) this.unknown.push(path);
    return smallest;
  }

  #object(schema: JsonObject, place: Place): JsonObject {
    const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
    const required = Array.isArray(schema['required'])
      ? schema['required'].filter((name) => typeof name === 'string')
      : [];
    const members = isJsonObject(place.proposal) ? membersByName(place.proposal) : place.members;
    const filled = [...new Set([...Object.keys(properties), ...required])].flatMap((name) => {
      const proposal = members(name);
      if (proposal === undefined && !required.includes(name)) return [];
      const path = place.path === '' ? name : `${place.path}.${name}`;
      return [[name, this.fill(properties[name], { path, proposal, members, depth: place.depth + 1 })] as const];
    });
    if (filled.length === 0 && place.depth > 0 && !isJsonObject(place.proposal)) this.unknown.push(place.path);
    return Object.fromEntries(filled);
  }

  #array(schema: JsonObject, { path, proposal, members, depth }: Place): JsonValue[] {
    const { items, minItems, maxItems } = schema;
    const most = typeof maxItems === 'number' ? maxItems : Number.POSITIVE_INFINITY;
    const proposals = Array.isArray(proposal) ? proposal.slice(0, most) : [];
    const missing = Math.max(0, (typeof minItems === 'number' ? minItems : 0) - proposals.length);
    if (missing > partsMax) throw new SchemaTooLarge();
    if (missing > 0 || !Array.isArray(proposal)) this.unknown.push(path);
    const all = [...proposals, ...Array.from({ length: missing }, () => undefined)];
    return all.map((one, index) =>
      this.fill(items, { path: `${path}[${index}]`, proposal: one, members, depth: depth + 1 }),
    );
  }
}

/**
 * Returns false for a boolean, the result of {@link smallestNumber} for a number, and for a string the proposal or a
 * short string of the format, fitted to the schema's lengths.
 */
function getSmallest(type: string, schema: JsonObject, proposal: JsonValue | undefined): JsonValue {
  if (type === 'string') return fillString(schema, proposal);
  return type === 'boolean' ? false : smallestNumber(schema, type === 'integer');
}

/** A short valid string of each format. */
const formats: Readonly<Record<string, string>> = {
  date: '1970-01-01',
  'date-time': '1970-01-01T00:00:00Z',
  time: '00:00:00Z',
  duration: 'PT0S',
  email: 'a@b.example',
  hostname: 'a.example',
  ipv4: '0.0.0.0',
  ipv6: '::',
  uri: 'about:blank',
  uuid: '00000000-0000-0000-0000-000000000000',
};

/** Maximum length of a padded string. */
const paddingMax = 100_000;

/** Returns the proposal, else a short string of the format, cut or padded to the schema's lengths. */
function fillString(schema: JsonObject, proposal: JsonValue | undefined): string {
  const { format, minLength, maxLength } = schema;
  const smallest = typeof format === 'string' ? (formats[format] ?? '') : '';
  const text = typeof proposal === 'string' ? proposal : smallest;
  const longest = typeof maxLength === 'number' ? maxLength : Number.POSITIVE_INFINITY;
  const shortest = typeof minLength === 'number' ? Math.min(minLength, paddingMax) : 0;
  return text.slice(0, longest).padEnd(shortest, '-');
}

/**
 * Returns 0 if the schema's bounds allow it, else a number near the bound next to 0, as a multiple of multipleOf. The
 * number may be invalid if the bounds are close together.
 */
function smallestNumber(schema: JsonObject, integer: boolean): number {
  const step = numberIn(schema['multipleOf']) ?? (integer ? 1 : 0);
  const low = lowest(schema, step);
  const high = highest(schema, step);
  if (low > 0) return step > 0 ? Math.ceil(low / step) * step : low;
  if (high < 0) return step > 0 ? Math.floor(high / step) * step : high;
  return 0;
}

/**
 * Distance between a created number and an exclusive bound in a schema without multipleOf. A narrow range reduces it.
 */
const nudge = 0.5;

function lowest(schema: JsonObject, step: number): number {
  const { inclusiveLow, exclusiveLow } = boundsIn(schema);
  if (exclusiveLow < inclusiveLow) return inclusiveLow;
  return step > 0 ? Math.floor(exclusiveLow / step) * step + step : exclusiveLow + nudgeWithin(schema);
}

function highest(schema: JsonObject, step: number): number {
  const { inclusiveHigh, exclusiveHigh } = boundsIn(schema);
  if (exclusiveHigh > inclusiveHigh) return inclusiveHigh;
  return step > 0 ? Math.ceil(exclusiveHigh / step) * step - step : exclusiveHigh - nudgeWithin(schema);
}

/**
 * Returns the distance between a created number and an exclusive bound: {@link nudge}, or half of the allowed range if
 * that is less.
 */
function nudgeWithin(schema: JsonObject): number {
  const { inclusiveLow, exclusiveLow, inclusiveHigh, exclusiveHigh } = boundsIn(schema);
  return Math.min(nudge, (Math.min(inclusiveHigh, exclusiveHigh) - Math.max(inclusiveLow, exclusiveLow)) / 2);
}

/** Returns the bounds of a number; infinite where the schema has none. */
function boundsIn(
  schema: JsonObject,
): Record<'inclusiveLow' | 'exclusiveLow' | 'inclusiveHigh' | 'exclusiveHigh', number> {
  return {
    inclusiveLow: numberIn(schema['minimum']) ?? Number.NEGATIVE_INFINITY,
    exclusiveLow: numberIn(schema['exclusiveMinimum']) ?? Number.NEGATIVE_INFINITY,
    inclusiveHigh: numberIn(schema['maximum']) ?? Number.POSITIVE_INFINITY,
    exclusiveHigh: numberIn(schema['exclusiveMaximum']) ?? Number.POSITIVE_INFINITY,
  };
}

function numberIn(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
