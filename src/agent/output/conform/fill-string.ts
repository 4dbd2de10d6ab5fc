import type { JsonObject, JsonValue } from '#lib/json.ts';

/** The smallest string of each format. */
const FORMATS: Readonly<Record<string, string>> = {
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

/** Longer strings are not padded into being. */
const PADDING_MAX = 100_000;

/** The proposal, or else the smallest string of the format, within the schema's lengths. */
export function fillString(schema: JsonObject, proposal: JsonValue | undefined): string {
  const { format, minLength, maxLength } = schema;
  const smallest = typeof format === 'string' ? (FORMATS[format] ?? '') : '';
  const text = typeof proposal === 'string' ? proposal : smallest;
  const longest = typeof maxLength === 'number' ? maxLength : Number.POSITIVE_INFINITY;
  const shortest = typeof minLength === 'number' ? Math.min(minLength, PADDING_MAX) : 0;
  return text.slice(0, longest).padEnd(shortest, '-');
}
