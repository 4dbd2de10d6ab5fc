import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';
import {
  areApart,
  combined,
  entriesMax,
  impliedType,
  isOfType,
  arrayOrEmpty,
  numberOr,
  objectOrEmpty,
  schemaWithout,
  namedTypes,
  enumValues,
} from './schema-parts.ts';
import { type Place, isWord, numberFor, textFor } from './schema-values.ts';

/** Inclusive limits of schema depth and of visited subschemas. */
export interface InstanceBounds {
  /** Maximum nesting depth of visited subschemas. @defaultValue 24 */
  readonly depthMax: number;
  /** Maximum number of visited subschemas. @defaultValue 2000 */
  readonly partsMax: number;
}

const usualBounds: InstanceBounds = { depthMax: 24, partsMax: 2_000 };

/**
 * Length of generated arrays if the schema sets none, down to the depth `longListDepth`. Deeper arrays get their
 * minimum length, so that values of recursive schemas stay small.
 */
const usualEntries = 2;
const longListDepth = 6;

/** Unsupported keywords: no value is generated for a schema with one of them. */
const unsupported = [
  'not',
  'if',
  'contains',
  'dependencies',
  'dependentRequired',
  'dependentSchemas',
  'patternProperties',
  'propertyNames',
  '$dynamicRef',
  '$recursiveRef',
] as const;

/**
 * Returns a deterministic value that conforms to a JSON Schema. Returns undefined when it finds none within the bounds,
 * or for an unsupported keyword such as a `pattern` without a known format. Evaluates no pattern and follows local
 * references only.
 */
export function schemaInstance(schema: JsonValue, bounds: InstanceBounds = usualBounds): JsonValue | undefined {
  return new Generator(schema, bounds).make(schema, { name: '', depth: 0, index: 0 });
}

class Generator {
  readonly #root: JsonValue;
  readonly #bounds: InstanceBounds;
  #parts = 0;

  constructor(root: JsonValue, bounds: InstanceBounds) {
    this.#root = root;
    this.#bounds = bounds;
  }

  make(schema: JsonValue | undefined, place: Place): JsonValue | undefined {
    this.#parts += 1;
    if (place.depth > this.#bounds.depthMax || this.#parts > this.#bounds.partsMax) return undefined;
    if (schema === true || schema === undefined) return 'text';
    if (!isJsonObject(schema) || unsupported.some((keyword) => Object.hasOwn(schema, keyword))) return undefined;
    const deeper = { ...place, depth: place.depth + 1 };
    const { $ref, allOf, anyOf, oneOf } = schema;
    if ($ref !== undefined) return this.make(this.#merged([this.#target($ref), schemaWithout(schema, '$ref')]), deeper);
    if (Array.isArray(allOf)) return this.make(this.#merged([...allOf, schemaWithout(schema, 'allOf')]), deeper);
    if (Array.isArray(anyOf)) return this.#first(anyOf, schemaWithout(schema, 'anyOf'), deeper);
    if (Array.isArray(oneOf))
      return areApart(oneOf, (branch) => this.#resolved(branch))
        ? this.#first(oneOf, schemaWithout(schema, 'oneOf'), deeper)
        : undefined;
    return this.#plain(schema, place);
  }

  /**
   * Generates a value for each alternative in order, until a value is not null, and returns this value. If the
   * alternatives yield only null, returns null; if no alternative yields a value, returns undefined.
   */
  #first(branches: readonly JsonValue[], rest: JsonObject, place: Place): JsonValue | undefined {
    let found: JsonValue | undefined;
    for (const branch of branches) {
      const value = this.make(this.#merged([branch, rest]), place);
      if (value !== undefined && value !== null) return value;
      found ??= value;
    }
    return found;
  }

  #plain(schema: JsonObject, place: Place): JsonValue | undefined {
    const types = namedTypes(schema);
    const words = enumValues(schema);
    if (words !== null) {
      const allowed = words.filter(
        (word) => (types === null || types.some((type) => isOfType(type, word))) && isWord(schema, word),
      );
      const filled = allowed.filter((word) => word !== null);
      return filled.length > 0 ? filled[place.index % filled.length] : allowed[0];
    }
    for (const type of (types ?? [impliedType(schema)]).toSorted(nullLast)) {
      const value = this.#ofType(type, schema, place);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  #ofType(type: string, schema: JsonObject, place: Place): JsonValue | undefined {
    switch (type) {
      case 'object':
        return this.#object(schema, place);
      case 'array':
        return this.#array(schema, place);
      case 'string':
        return textFor(schema, place);
      case 'integer':
        return numberFor(schema, { step: 1, index: place.index });
      case 'number':
        return numberFor(schema, { step: null, index: place.index });
      case 'boolean':
        return place.index % 2 === 0;
      case 'null':
        return null;
      default:
        return undefined;
    }
  }

  #object(schema: JsonObject, { depth, index }: Place): JsonObject | undefined {
    const properties = objectOrEmpty(schema['properties']);
    const required = arrayOrEmpty(schema['required']).map(String);
    const made = new Map<string, JsonValue>();
    // Required members come first because they must exist when the bound is reached.
    for (const name of new Set([...required, ...Object.keys(properties)])) {
      const isKnown = Object.hasOwn(properties, name);
      const inner = isKnown ? properties[name] : schema['additionalProperties'];
      const value = this.make(inner, { name, depth: depth + 1, index });
      if (value !== undefined) made.set(name, value);
      else if (required.includes(name)) return undefined;
    }
    const most = numberOr(schema['maxProperties'], Number.POSITIVE_INFINITY);
    const names = [...new Set([...Object.keys(properties), ...required])].filter((name) => made.has(name));
    const kept = names.length > most ? names.filter((name) => required.includes(name)) : names;
    if (kept.length > most || kept.length < numberOr(schema['minProperties'], 0)) return undefined;
    return Object.fromEntries(kept.map((name) => [name, made.get(name) ?? null]));
  }

  #array(schema: JsonObject, { name, depth, index }: Place): JsonValue[] | undefined {
    const least = numberOr(schema['minItems'], 0);
    const most = Math.min(numberOr(schema['maxItems'], entriesMax), entriesMax);
    const first = arrayOrEmpty(schema['prefixItems']);
    const wanted = Math.max(least, depth > longListDepth ? 0 : Math.max(usualEntries, first.length));
    const differ = schema['uniqueItems'] === true;
    const made: JsonValue[] = [];
    const seen = new Set<string>();
    for (let entry = 0; entry < Math.min(wanted, most); entry += 1) {
      const inner = entry < first.length ? first[entry] : schema['items'];
      if (inner === false) break;
      const place = { name: name.replace(/s$/, ''), depth: depth + 1, index: differ ? entry : index };
      const value = this.make(inner, place);
      if (value === undefined || (differ && seen.has(JSON.stringify(value)))) break;
      seen.add(JSON.stringify(value));
      made.push(value);
    }
    return made.length < least ? undefined : made;
  }

  /**
   * Merges the given schemas into one schema. Returns `false`, the schema that accepts nothing, if two of the schemas
   * cannot be merged.
   */
  #merged(parts: readonly (JsonValue | undefined)[]): JsonValue {
    let sum: JsonObject = {};
    for (const part of parts) {
      if (part === true) continue;
      if (!isJsonObject(part)) return false;
      const next = combined(sum, part);
      if (next === null) return false;
      sum = next;
    }
    return sum;
  }

  #resolved(schema: JsonValue): JsonValue {
    const reference = isJsonObject(schema) ? schema['$ref'] : undefined;
    return reference === undefined ? schema : (this.#target(reference) ?? false);
  }

  /**
   * Returns the schema at a local reference such as `#/$defs/Item`; undefined for any other reference, and if nothing
   * is at the reference.
   */
  #target(reference: JsonValue): JsonValue | undefined {
    if (typeof reference !== 'string' || !/^#(\/|$)/.test(reference)) return undefined;
    let found: JsonValue | undefined = this.#root;
    for (const step of reference.split('/').slice(1)) {
      const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
      if (Array.isArray(found)) found = found[Number(name)];
      else found = isJsonObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
    }
    return found;
  }
}

function nullLast(one: string, other: string): number {
  return Number(one === 'null') - Number(other === 'null');
}
