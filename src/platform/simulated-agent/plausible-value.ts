import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';
import { narrowSchema } from '#agent/output/conform/narrow-schema.ts';
import { typeFor } from '#agent/output/conform/schema-types.ts';
import { plausibleNumber } from './plausible-number.ts';
import { plausibleText } from './plausible-text.ts';

/**
 * Bounds of what is made up; the rest is left to the function that makes a value conform. Without a bound of parts a schema of a few
 * lines that refers to itself several times would make millions of them.
 */
const DEPTH_MAX = 8;
const PARTS_MAX = 500;
const ENTRIES = 2;

/** Where a value is made up. */
interface Place {
  /** Name of the member; empty for the whole. */
  readonly name: string;
  readonly depth: number;
}

/** A value that looks like what a schema asks for, by types, names and formats; nothing vouches that it conforms. `draw` decides. */
export function plausibleValue(schema: JsonObject, draw: () => number): JsonValue {
  return new Maker(schema, draw).make(schema, { name: '', depth: 0 }) ?? null;
}

/** Returns how many parts were merged: what a step of narrowing costs. */
function partsOf({ properties, required }: JsonObject): number {
  return (
    Object.keys(isJsonObject(properties) ? properties : {}).length + (Array.isArray(required) ? required.length : 0)
  );
}

class Maker {
  readonly #root: JsonObject;
  readonly #draw: () => number;
  #partsLeft = PARTS_MAX;

  constructor(root: JsonObject, draw: () => number) {
    this.#root = root;
    this.#draw = draw;
  }

  make(schema: JsonValue | undefined, place: Place): JsonValue | undefined {
    if (!isJsonObject(schema) || place.depth > DEPTH_MAX || this.#partsLeft <= 0) return undefined;
    this.#partsLeft -= 1;
    // A made-up text proposes itself, so that of two alternatives the one that is not null is taken.
    const narrowed = narrowSchema(schema, this.#root, '');
    if (narrowed !== schema) {
      this.#partsLeft -= partsOf(narrowed);
      return this.make(narrowed, { ...place, depth: place.depth + 1 });
    }
    if (schema['const'] !== undefined) return schema['const'];
    if (schema['default'] !== undefined) return schema['default'];
    if (Array.isArray(schema['enum'])) return schema['enum'][Math.floor(this.#draw() * schema['enum'].length)];
    return this.#ofType(schema, place);
  }

  #ofType(schema: JsonObject, place: Place): JsonValue | undefined {
    switch (this.#typeOf(schema)) {
      case 'object':
        return this.#object(schema, place);
      case 'array':
        return this.#array(schema, place);
      case 'string':
        return plausibleText(schema, place.name, this.#draw);
      case 'integer':
        return plausibleNumber(schema, { name: place.name, isWhole: true }, this.#draw);
      case 'number':
        return plausibleNumber(schema, { name: place.name, isWhole: false }, this.#draw);
      case 'boolean':
        return this.#draw() < 0.5;
      default:
        return null;
    }
  }

  /** Of several types the first that says something. */
  #typeOf(schema: JsonObject): string {
    const { type } = schema;
    const said = Array.isArray(type) ? type.find((one) => one !== 'null') : undefined;
    return typeof said === 'string' ? said : typeFor(schema, undefined);
  }

  #object(schema: JsonObject, { depth }: Place): JsonObject {
    const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
    return Object.fromEntries(
      Object.entries(properties).flatMap(([name, inner]) => {
        const value = this.make(inner, { name, depth: depth + 1 });
        return value === undefined ? [] : [[name, value] as const];
      }),
    );
  }

  #array(schema: JsonObject, { name, depth }: Place): JsonValue[] {
    const { minItems, maxItems, items } = schema;
    const least = typeof minItems === 'number' ? minItems : 0;
    const most = typeof maxItems === 'number' ? maxItems : Math.max(least, ENTRIES);
    const length = Math.min(Math.max(least, ENTRIES), most, 10);
    const made = Array.from({ length }, () => this.make(items, { name: name.replace(/s$/, ''), depth: depth + 1 }));
    return made.filter((one) => one !== undefined);
  }
}
