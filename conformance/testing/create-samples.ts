import { type JsonObject, type JsonValue, isJsonObject, toText } from '../core/json.ts';
import { valueAt } from '../core/schemas.ts';

const formats: Readonly<Record<string, string>> = {
  uuid: '2f1b7f0e-6c37-4b0a-9d55-0f8a1c9f3e11',
  'date-time': '2026-01-02T03:04:05.678Z',
  date: '2026-01-02',
  uri: 'https://example.com/path',
  email: 'someone@example.com',
};

/** Index of the alternative or type that each sample chooses, modulo the number of alternatives or types. */
const choices = [0, 1, 2, 3] as const;

/**
 * Returns four sample values of a schema with all of its members. Each sample chooses other alternatives and types, as
 * far as the schema has them. A schema with members takes its value from the types of its members. Any other schema
 * takes its constant, example or first enumerated value, if it has such a value.
 */
export function createSamples(document: JsonObject, schema: JsonObject): JsonValue[] {
  return choices.map((choice) => createSampler(document, choice)(schema));
}

function createSampler(document: JsonObject, choice: number): (schema: JsonObject) => JsonValue {
  const chosen = (values: readonly JsonValue[]): JsonValue[] =>
    values.slice(choice % Math.max(1, values.length)).slice(0, 1);
  const sample = (schema: JsonObject): JsonValue => {
    const { $ref: reference, const: constant, enum: words } = schema;
    if (typeof reference === 'string') return sample(toObject(behind(document, reference)));
    // Every member of an object is created from its type, because examples omit some.
    const examples = isJsonObject(schema['properties']) ? [] : [schema['example'], ...toList(schema['examples'])];
    const found = [constant, ...examples, toList(words)[0]].find((value) => value !== undefined);
    if (found !== undefined) return found;
    const branches = [...chosen(toList(schema['anyOf'])), ...chosen(toList(schema['oneOf']))];
    const parts = [...toList(schema['allOf']), ...branches].map((part) => sample(toObject(part)));
    const own = ownSample(schema);
    if (parts.length === 0) return own ?? null;
    // Parts that are only constraints create no value.
    const objects = [...parts, own ?? null].filter((part) => isJsonObject(part));
    return objects.length > 0 ? Object.assign({}, ...objects) : (parts[0] ?? null);
  };
  const ownSample = (schema: JsonObject): JsonValue | undefined => {
    const type = Array.isArray(schema['type']) ? chosen(schema['type'])[0] : schema['type'];
    const members = Object.entries(toObject(schema['properties']));
    if (type === 'object' || (type === undefined && members.length > 0))
      return Object.fromEntries(members.map(([name, member]) => [name, sample(toObject(member))]));
    if (type === 'array') return [sample(toObject(schema['items']))];
    return createScalar(type, schema);
  };
  return sample;
}

function createScalar(type: JsonValue | undefined, schema: JsonObject): JsonValue | undefined {
  if (type === 'string')
    return formats[toText(schema['format'])] ?? 'a text that is long enough'.slice(0, getMaximum(schema));
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return typeof schema['minimum'] === 'number' ? schema['minimum'] : 1;
  return type === 'null' ? null : undefined;
}

function getMaximum({ maxLength }: JsonObject): number {
  return typeof maxLength === 'number' ? maxLength : Number.POSITIVE_INFINITY;
}

function behind(document: JsonObject, reference: string): JsonValue | undefined {
  const steps = reference.split('/').slice(1);
  return valueAt(
    document,
    steps.map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')),
  );
}

function toList(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function toObject(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
