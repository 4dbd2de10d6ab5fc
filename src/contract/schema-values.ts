import type { JsonObject, JsonValue } from '#lib/json.ts';
import { numberOr } from './schema-parts.ts';

/** Maximum length of generated text. */
const textMax = 1_000;

/** Position of a generated value in the generated document. */
export interface Place {
  /** Member name; empty for the root. */
  readonly name: string;
  readonly depth: number;
  /**
   * Index of the entry that contains the value in the nearest enclosing array with unique entries; 0 outside of such
   * arrays. Generated values depend on the index, so that the entries differ.
   */
  readonly index: number;
}

/**
 * An example text for each format. If a schema has a format and a pattern, the pattern is assumed to accept the example
 * of the format.
 */
const texts: Readonly<Record<string, string>> = {
  date: '2026-03-14',
  'date-time': '2026-03-14T09:30:00Z',
  time: '09:30:00Z',
  duration: 'PT30M',
  email: 'ada@example.com',
  'idn-email': 'ada@example.com',
  hostname: 'example.com',
  'idn-hostname': 'example.com',
  ipv4: '192.0.2.7',
  ipv6: '2001:db8::7',
  uri: 'https://example.com/items/1',
  'uri-reference': 'https://example.com/items/1',
  iri: 'https://example.com/items/1',
  url: 'https://example.com/items/1',
  uuid: '3f0c2b8e-5d1a-4c57-9e0b-6a7d2f1c8b90',
};

/**
 * Returns whether an enumerated value certainly satisfies the other keywords of its schema. Returns false for a string
 * beside `pattern` or `format`, and for an array or object beside one of the `structural` keywords, because these
 * keywords are not evaluated.
 */
export function isWord(schema: JsonObject, word: JsonValue): boolean {
  if (typeof word === 'number') return isWithin(schema, word);
  if (typeof word === 'string') {
    const length = Array.from(word).length;
    return (
      schema['pattern'] === undefined &&
      schema['format'] === undefined &&
      length >= numberOr(schema['minLength'], 0) &&
      length <= numberOr(schema['maxLength'], Number.POSITIVE_INFINITY)
    );
  }
  if (word === null || typeof word === 'boolean') return true;
  return !structural.some((keyword) => Object.hasOwn(schema, keyword));
}

/** Keywords that constrain elements of arrays and objects. */
const structural = [
  'properties',
  'required',
  'additionalProperties',
  'minProperties',
  'maxProperties',
  'items',
  'prefixItems',
  'minItems',
  'maxItems',
  'uniqueItems',
];

function isWithin(schema: JsonObject, value: number): boolean {
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf } = schema;
  return (
    value >= numberOr(minimum, Number.NEGATIVE_INFINITY) &&
    value > numberOr(exclusiveMinimum, Number.NEGATIVE_INFINITY) &&
    value <= numberOr(maximum, Number.POSITIVE_INFINITY) &&
    value < numberOr(exclusiveMaximum, Number.POSITIVE_INFINITY) &&
    (typeof multipleOf !== 'number' || Number.isInteger(value / multipleOf))
  );
}

/**
 * Returns an example text of the schema's format, or else a text made from the member name. Returns undefined for a
 * pattern without a known format, and when this text has no allowed length.
 */
export function textFor(schema: JsonObject, { name, index }: Place): string | undefined {
  const { format, pattern } = schema;
  const least = numberOr(schema['minLength'], 0);
  const most = numberOr(schema['maxLength'], textMax);
  const ofFormat = typeof format === 'string' ? texts[format] : undefined;
  if (ofFormat !== undefined) return ofFormat.length >= least && ofFormat.length <= most ? ofFormat : undefined;
  if (pattern !== undefined || least > textMax || least > most) return undefined;
  const words = index === 0 ? name || 'text' : `${index} ${name}`;
  const text = /^[\x20-\x7e]*$/.test(words) ? words : 'text';
  return text.slice(0, most).padEnd(least, '.');
}

/** Returns a small number within the bounds of a schema, an integer if `step` is 1; undefined if none is found. */
export function numberFor(
  schema: JsonObject,
  { step, index }: { readonly step: 1 | null; readonly index: number },
): number | undefined {
  const multiple = schema['multipleOf'];
  const unit = typeof multiple === 'number' && multiple > 0 ? multiple : 1;
  if (step === 1 && !Number.isInteger(unit)) return undefined;
  const lowest = Math.max(
    numberOr(schema['minimum'], Number.NEGATIVE_INFINITY),
    numberOr(schema['exclusiveMinimum'], Number.NEGATIVE_INFINITY),
  );
  const highest = Math.min(
    numberOr(schema['maximum'], Number.POSITIVE_INFINITY),
    numberOr(schema['exclusiveMaximum'], Number.POSITIVE_INFINITY),
  );
  // The number of the range that is closest to 1.
  const start = Math.min(Math.max(1, lowest), highest);
  const base = Math.round(start / unit);
  const near = [base, base + 1, base - 1].map((count) => (count + index) * unit);
  const found = near.find((value) => isWithin(schema, value));
  if (found !== undefined || step === 1 || typeof multiple === 'number') return found;
  return [(lowest + highest) / 2, lowest, highest].find((value) => Number.isFinite(value) && isWithin(schema, value));
}
