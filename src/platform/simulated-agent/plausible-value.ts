import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';
import { narrowSchema, typeFor } from '#agent/output/schema/schema-types.ts';

/**
 * Maximum depth of a generated value; the caller completes deeper parts to conform to the schema. A short schema with
 * several references to itself could otherwise create millions of parts.
 */
const depthMax = 8;
const partsMax = 500;
const entries = 2;

/** Position of a generated value. */
interface Place {
  /** Name of the member that has the value; empty for the root. */
  readonly name: string;
  readonly depth: number;
}

/**
 * Generates a plausible value for a schema by types, names and formats; it may not conform to the schema. `draw`
 * returns random numbers from 0 to 1, 1 excluded.
 */
export function plausibleValue(schema: JsonObject, draw: () => number): JsonValue {
  return new Maker(schema, draw).make(schema, { name: '', depth: 0 }) ?? null;
}

/**
 * Returns the number of members and required names of a merged schema. The generator subtracts this number from the
 * `partsMax` parts that are allowed for a generated value.
 */
function countParts({ properties, required }: JsonObject): number {
  return (
    Object.keys(isJsonObject(properties) ? properties : {}).length + (Array.isArray(required) ? required.length : 0)
  );
}

class Maker {
  readonly #root: JsonObject;
  readonly #draw: () => number;
  #partsLeft = partsMax;

  constructor(root: JsonObject, draw: () => number) {
    this.#root = root;
    this.#draw = draw;
  }

  make(schema: JsonValue | undefined, place: Place): JsonValue | undefined {
    if (!isJsonObject(schema) || place.depth > depthMax || this.#partsLeft <= 0) return undefined;
    this.#partsLeft -= 1;
    // The empty text proposes a value, so that the alternative that is not null is selected.
    const narrowed = narrowSchema(schema, this.#root, '');
    if (narrowed !== schema) {
      this.#partsLeft -= countParts(narrowed);
      return this.make(narrowed, { ...place, depth: place.depth + 1 });
    }
    if (schema['const'] !== undefined) return schema['const'];
    if (schema['default'] !== undefined) return schema['default'];
    if (Array.isArray(schema['enum'])) return schema['enum'][Math.floor(this.#draw() * schema['enum'].length)];
    return this.#ofType(schema, place);
  }

  #ofType(schema: JsonObject, place: Place): JsonValue | undefined {
    switch (this.#getType(schema)) {
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

  /** Returns the first type of a list that is not null; without a list, the type that the schema names or implies. */
  #getType(schema: JsonObject): string {
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
    const most = typeof maxItems === 'number' ? maxItems : Math.max(least, entries);
    const length = Math.min(Math.max(least, entries), most, 10);
    const made = Array.from({ length }, () => this.make(items, { name: name.replace(/s$/, ''), depth: depth + 1 }));
    return made.filter((one) => one !== undefined);
  }
}

/** Ranges of random numbers by member name; the first match applies. */
const ranges: readonly (readonly [name: RegExp, least: number, most: number])[] = [
  [/year/i, 2000, 2026],
  [/rating|stars|score/i, 3, 5],
  [/percent|share/i, 1, 99],
  [/price|cost|amount|total|sum|salary/i, 10, 500],
  [/lat(itude)?$/i, -60, 60],
  [/lon(gitude)?$|lng$/i, -120, 120],
];

const usual = [1, 20] as const;

/** Returns a plausible number for a member within the bounds of its schema, with at most two decimal digits. */
function plausibleNumber(
  schema: JsonObject,
  { name, isWhole }: { readonly name: string; readonly isWhole: boolean },
  draw: () => number,
): number {
  const [least, most] = ranges.find(([pattern]) => pattern.test(name))?.slice(1) ?? usual;
  const step = numberOr(schema['multipleOf'], isWhole ? 1 : 0.01);
  const low = Math.max(
    numberOr(schema['minimum'], Number(least)),
    numberOr(schema['exclusiveMinimum'], Number.NEGATIVE_INFINITY) + step,
  );
  const high = Math.min(
    numberOr(schema['maximum'], Math.max(low, Number(most))),
    numberOr(schema['exclusiveMaximum'], Number.POSITIVE_INFINITY) - step,
  );
  const steps = Math.ceil(low / step) + Math.floor(draw() * (Math.max(0, high - low) / step + 1));
  // Hundredths have no exact binary form: rounding gives the shortest decimal notation.
  return Math.round(Math.min(steps * step, Math.max(low, high)) * 100) / 100;
}

function numberOr(value: JsonValue | undefined, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

const names = ['Ada Hill', 'Ben Okoro', 'Chloe Martin', 'Dan Weber'];

const things = ['Blue lamp', 'Garden chair', 'Travel mug', 'Desk clock'];

const cities = ['Lisbon', 'Oslo', 'Vienna', 'Leeds'];

const countries = ['Portugal', 'Norway', 'Austria', 'Ireland'];

const sentences = ['It was found on the page.', 'The page says so.', 'Nothing else was listed.', 'It is in stock.'];

/** Example texts by format. `byName` has the texts by member name; the first matching entry applies. */
const byFormat: Readonly<Record<string, readonly string[]>> = {
  date: ['2026-03-14', '2026-05-02'],
  'date-time': ['2026-03-14T09:30:00Z', '2026-05-02T16:05:00Z'],
  time: ['09:30:00Z', '16:05:00Z'],
  duration: ['PT30M', 'P1D'],
  email: ['ada@example.com', 'ben@example.com'],
  hostname: ['example.com', 'shop.example.com'],
  ipv4: ['192.0.2.7', '192.0.2.81'],
  ipv6: ['2001:db8::7', '2001:db8::51'],
  uri: ['https://example.com/items/1', 'https://example.com/items/2'],
  uuid: ['3f0c2b8e-5d1a-4c57-9e0b-6a7d2f1c8b90', '8d5b1c7a-2f60-4b3e-a1d4-0c9e7f6b5a32'],
};

const byName: readonly (readonly [name: RegExp, texts: readonly string[]])[] = [
  [/e-?mail/i, byFormat['email'] ?? []],
  [/url|link|href|website|address$/i, byFormat['uri'] ?? []],
  [/date|time|when|_at$|At$/, byFormat['date'] ?? []],
  [/phone/i, ['+44 20 7946 0018', '+44 20 7946 0952']],
  [/currency/i, ['EUR', 'USD']],
  [/price|cost|amount|total/i, ['24.90', '119.00']],
  [/city|town|place|location/i, cities],
  [/country/i, countries],
  [/author|person|user|contact|owner|customer|seller/i, names],
  [/summary|description|text|reason|comment|notes?$|answer|body|content/i, sentences],
  [/name|title|product|item|headline|label/i, things],
];

/**
 * Returns a plausible text for a member, cut or padded to the length limits of its schema. The caller handles patterns.
 */
function plausibleText(schema: JsonObject, name: string, draw: () => number): string {
  const { format, minLength, maxLength } = schema;
  const ofFormat = typeof format === 'string' ? byFormat[format] : undefined;
  const texts = ofFormat ?? byName.find(([pattern]) => pattern.test(name))?.[1] ?? sentences;
  const text = texts[Math.floor(draw() * texts.length)] ?? '';
  const longest = typeof maxLength === 'number' ? maxLength : text.length;
  return text.slice(0, longest).padEnd(typeof minLength === 'number' ? Math.min(minLength, 1000) : 0, '.');
}
