import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';

/** Behaviour of a server whose document has another keyword at one place. */
export interface KeywordChange {
  /** Keyword with its value or the member that it names. */
  readonly keyword: string;
  /** Returns the changed value; the same value when the keyword does not apply to it. */
  readonly change: (value: JsonValue) => JsonValue;
}

/** Changes of keywords. Annotations change no response; other keywords are traversed or listed in `changes`. */
type Changes = (schema: JsonObject) => readonly KeywordChange[];

/** Returns one change for each keyword of a schema that a response can violate. */
export function keywordChanges(schema: JsonObject): KeywordChange[] {
  return changes.flatMap((change) => change(schema));
}

const changes: readonly Changes[] = [
  ({ type }) => getTypes(type).map((one) => ({ keyword: `type ${one}`, change: (value) => ofOtherType(one, value) })),
  ({ type }) =>
    type === undefined || getTypes(type).includes('null')
      ? []
      : [{ keyword: 'type, null as well', change: () => null }],
  ({ required }) => getTexts(required).map((name) => ({ keyword: `required ${name}`, change: without(name) })),
  (schema) => (schema['enum'] === undefined ? [] : [{ keyword: 'enum', change: unlisted }]),
  (schema) => (schema['const'] === undefined ? [] : [{ keyword: 'const', change: unlisted }]),
  ({ format }) => (typeof format === 'string' ? [{ keyword: `format ${format}`, change: unformatted }] : []),
  ({ pattern }) => (typeof pattern === 'string' ? [{ keyword: 'pattern', change: unformatted }] : []),
  ({ minimum }) => boundChange('minimum', minimum, -1),
  ({ maximum }) => boundChange('maximum', maximum, 1),
  ({ maxProperties }) => (typeof maxProperties === 'number' ? [extraMembers('maxProperties', maxProperties + 1)] : []),
  (schema) => (schema['additionalProperties'] === false ? [extraMembers('additionalProperties', 1)] : []),
];

/** Returns values of another type for each type: numbers for strings, and strings for all others. */
function ofOtherType(type: string, value: JsonValue): JsonValue {
  if (typeName(value) !== type && !(type === 'number' && typeof value === 'number')) return value;
  if (type === 'null') return { unexpected: true };
  if (type === 'integer') return typeof value === 'number' ? value + 0.5 : value;
  return type === 'string' ? 12_345 : 'text';
}

function typeName(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value;
}

function getTypes(type: JsonValue | undefined): string[] {
  return typeof type === 'string' ? [type] : getTexts(type);
}

function getTexts(list: JsonValue | undefined): string[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];
}

function without(name: string): KeywordChange['change'] {
  return (value) => {
    if (!isJsonObject(value) || !(name in value)) return value;
    const { [name]: _gone, ...rest } = value;
    return rest;
  };
}

function unlisted(value: JsonValue): JsonValue {
  if (typeof value === 'boolean') return !value;
  return typeof value === 'string' ? `${value}_x` : value;
}

function unformatted(value: JsonValue): JsonValue {
  return typeof value === 'string' ? 'not of this form' : value;
}

function boundChange(keyword: string, bound: JsonValue | undefined, past: number): KeywordChange[] {
  if (typeof bound !== 'number') return [];
  return [{ keyword, change: (value) => (typeof value === 'number' ? bound + past : value) }];
}

function extraMembers(keyword: string, count: number): KeywordChange {
  const extra = Object.fromEntries(Array.from({ length: count }, (_none, at) => [`unexpected${at}`, 'text']));
  return { keyword, change: (value) => (isJsonObject(value) ? { ...value, ...extra } : value) };
}
