import type { JsonObject, JsonValue } from '#conformance/core/json.ts';
import type { Draw } from '../draw.ts';
import { worstLength, worstText } from './worst-texts.ts';

/** Generates a JSON text of at most about `bytes` bytes: deep, wide, long, repetitive, or malformed. */
export function worstJsonText(draw: Draw, bytes: number): string {
  return draw
    .of(texts)(draw, bytes)
    .slice(0, bytes + 2);
}

/** Returns a random size: `most` (twice as likely), a half or a tenth of `most`, 10,000 or 1000. */
export function worstBytes(draw: Draw, most: number): number {
  return draw.of([most, most, Math.floor(most / 2), Math.floor(most / 10), 10_000, 1000]);
}

const texts: readonly ((draw: Draw, bytes: number) => string)[] = [
  (draw, bytes) => nested(draw.of(['[', '{"a":', '[{"a":']), { depth: depthFor(draw, bytes / 6) }),
  (_draw, bytes) => '['.repeat(bytes),
  (_draw, bytes) => '{"a":'.repeat(bytes / 5),
  (_draw, bytes) => `[${'[],'.repeat(bytes / 3 - 2)}[]]`,
  (_draw, bytes) => `[${'{},'.repeat(bytes / 3 - 2)}{}]`,
  (_draw, bytes) => `[${'0,'.repeat(bytes / 2 - 2)}0]`,
  (_draw, bytes) => `[${'"a",'.repeat(bytes / 4 - 2)}"a"]`,
  (draw, bytes) => `{${keys(draw, bytes)}}`,
  (draw, bytes) => `{${keys(draw, bytes)}}`,
  (_draw, bytes) => `{${'"a":1,'.repeat(bytes / 6 - 2)}"a":1}`,
  (draw, bytes) => JSON.stringify(worstText(draw, bytes / 3)),
  (_draw, bytes) => `"${'\\u0000'.repeat(bytes / 6 - 1)}"`,
  (_draw, bytes) => `"${'\\ud83d\\ude00'.repeat(bytes / 12 - 1)}"`,
  (_draw, bytes) => '9'.repeat(bytes),
  (_draw, bytes) => `[${`${'9'.repeat(400)}e-${'9'.repeat(20)},`.repeat(bytes / 430)}1]`,
  (_draw, bytes) => ' '.repeat(bytes - 2),
  (_draw, bytes) => `${' '.repeat(bytes - 4)}{}`,
  (_draw, bytes) => `"${'x'.repeat(bytes - 3)}`,
  (draw, bytes) => `{"a":${worstText(draw, bytes - 8)}}`,
  // Trees: as many containers as fit, at every depth.
  (_draw, bytes) => `[${`${nested('[', { depth: 90 })},`.repeat(bytes / 181 - 1)}1]`,
  (_draw, bytes) => `[${`{"a":${nested('{"b":', { depth: 40 })}},`.repeat(bytes / 250 - 1)}1]`,
];

function depthFor(draw: Draw, most: number): number {
  return Math.floor(draw.of([99, 100, 101, 199, 200, 201, 5000, most]));
}

function nested(opening: string, { depth }: { readonly depth: number }): string {
  const closing = opening
    .replaceAll(/"a":|"b":/g, '')
    .split('')
    .toReversed()
    .map((one) => (one === '[' ? ']' : '}'));
  return `${opening.repeat(depth)}1${closing.join('').repeat(depth)}`;
}

/** Returns about `bytes` bytes of JSON members, without braces, with similar, numeric, long or built-in names. */
function keys(draw: Draw, bytes: number): string {
  const name = draw.of<(at: number) => string>([
    (at) => `m${at}`,
    (at) => String(at),
    (at) => `${'a'.repeat(200)}${at}`,
    (at) => `__proto__${at % 3 === 0 ? '' : at}`,
    (at) => '\\u0061'.repeat(at % 50) + String(at),
    (at) => `${String.fromCodePoint(0x4e00 + (at % 20_000))}${at}`,
  ]);
  const value = draw.of(['1', '""', '{}', '[]', 'null', '"aaaaaaaaaaaaaaaaaaaa"']);
  const parts: string[] = [];
  for (let [at, length] = [0, 0]; length < bytes; at += 1) {
    const part = `"${name(at)}":${value}`;
    parts.push(part);
    length += part.length + 1;
  }
  return parts.slice(0, -1).join(',');
}

/** Generates a JSON value of any shape and at most about `bytes` bytes, within the depth limit of requests. */
export function worstValue(draw: Draw, bytes: number): JsonValue {
  const ways: readonly (() => JsonValue)[] = [
    () => worstText(draw, worstLength(draw, bytes)),
    () => Array.from({ length: Math.min(50_000, bytes / 4) }, (_item, at) => at % 10),
    () => Array.from({ length: Math.min(2000, bytes / 20) }, () => worstText(draw, 15)),
    () => worstMembers(draw, { count: Math.min(20_000, bytes / 40), length: 10 }),
    () => deep(draw.of([50, 90, 95])),
    () => [],
    () => 0,
    () => 1e308,
    () => null,
    () => true,
    () => Array.from({ length: Math.min(400, bytes / 600) }, () => deep(80)),
  ];
  return draw.of(ways)();
}

/**
 * Generates an object with `count` members. Each value is a suffix of one worst-case text, followed by the whole text.
 * The text has about `length` characters.
 */
export function worstMembers(
  draw: Draw,
  { count, length }: { readonly count: number; readonly length: number },
): JsonObject {
  const stem = draw.of(['a', 'm', 'x'.repeat(20), '1']);
  const text = worstText(draw, length);
  return Object.fromEntries(
    Array.from({ length: Math.floor(count) }, (_member, at) => [
      `${stem}${at}`,
      text.slice(at % Math.max(1, text.length)) + text,
    ]),
  );
}

function deep(depth: number): JsonValue {
  let value: JsonValue = 1;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

/** Generates a JSON Schema that is large, deep, branching, recursive, or full of patterns. */
export function worstSchema(draw: Draw): JsonObject {
  const count = draw.of([10, 100, 500, 1800, 5000]);
  const many = (make: (at: number) => JsonValue): JsonValue[] => Array.from({ length: count }, (_one, at) => make(at));
  const named = (make: (at: number) => [string, JsonValue]): JsonObject =>
    Object.fromEntries(Array.from({ length: count }, (_one, at) => make(at)));
  const ways: readonly (() => JsonObject)[] = [
    () => ({ oneOf: many((at) => ({ type: 'object', properties: { [`a${at}`]: { const: at } } })) }),
    () => ({ anyOf: many((at) => ({ type: 'string', minLength: at })) }),
    () => ({ allOf: many((at) => ({ not: { const: at } })) }),
    () => ({ type: 'object', properties: named((at) => [`p${at}`, { type: 'string' }]) }),
    () => ({ enum: many((at) => `value ${at}`) }),
    () => ({ type: 'string', pattern: draw.of(['^(a+)+$', '^(a|a)*$', '(.*)*x', '^(\\w+\\s?)*$', '(?:a?){50}a{50}']) }),
    () => ({ type: 'object', patternProperties: named((at) => [`^(a+)+${at}$`, {}]) }),
    () => ({
      $defs: {
        a: { anyOf: [{ $ref: '#/$defs/b' }, { type: 'array', items: { $ref: '#/$defs/a' } }] },
        b: { $ref: '#/$defs/a' },
      },
      $ref: '#/$defs/a',
    }),
    () => ({ type: 'array', items: { type: 'array', uniqueItems: true }, minItems: 1_000_000, uniqueItems: true }),
    () => nestedSchema(draw.of([20, 45])),
    () => ({ type: 'object', description: worstText(draw, 60_000) }),
    () => ({ required: many((at) => `r${at}`), dependentSchemas: { a: { oneOf: many(() => ({ minimum: 1 })) } } }),
    () => ({ type: 'string', minLength: 1_000_000_000, format: worstText(draw, 50) }),
    () => worstMembers(draw, { count, length: 20 }),
  ];
  return draw.of(ways)();
}

function nestedSchema(depth: number): JsonObject {
  let schema: JsonObject = { type: 'string' };
  for (let level = 0; level < depth; level += 1)
    schema = level % 2 === 0 ? { type: 'object', properties: { a: schema } } : { type: 'array', items: schema };
  return schema;
}
