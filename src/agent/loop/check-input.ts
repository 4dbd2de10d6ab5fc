import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';

/**
 * What is wrong with a tool's input, in words that say what was expected; empty when nothing is. Knows the little of JSON Schema
 * that the tools' parameters are written in: members that are texts, numbers, integers, booleans or lists of texts, with an
 * enumeration or bounds.
 */
export function checkInput(parameters: JsonObject, input: JsonObject): string[] {
  const properties = isJsonObject(parameters['properties']) ? parameters['properties'] : {};
  const required = Array.isArray(parameters['required']) ? parameters['required'] : [];
  const missing = required.filter((name) => typeof name === 'string').filter((name) => input[name] === undefined);
  const known = Object.keys(properties).join(', ');
  return [
    ...missing.map((name) => `"${name}" is missing`),
    ...Object.entries(input).flatMap(([name, value]) => {
      const schema = properties[name];
      if (!isJsonObject(schema)) return [`"${name}" is not known; known are: ${known === '' ? 'none' : known}`];
      const wrong = value === undefined ? null : faultOf(schema, value);
      return wrong === null ? [] : [`"${name}" must be ${wrong}`];
    }),
  ];
}

/** What a value had to be, or null when it is that. */
function faultOf(schema: JsonObject, value: JsonValue): string | null {
  const choices = schema['enum'];
  if (Array.isArray(choices)) return choices.includes(value) ? null : `one of ${choices.map(String).join(', ')}`;
  if (schema['type'] === 'string') return typeof value === 'string' ? null : 'a text';
  if (schema['type'] === 'boolean') return typeof value === 'boolean' ? null : 'true or false';
  if (schema['type'] === 'array') return isTexts(value) ? null : 'a list of texts';
  return isWithin(schema, value) ? null : numberWords(schema);
}

function isTexts(value: JsonValue): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function isWithin({ type, minimum, maximum }: JsonObject, value: JsonValue): boolean {
  if (typeof value !== 'number' || (type === 'integer' && !Number.isInteger(value))) return false;
  return value >= boundOf(minimum, Number.NEGATIVE_INFINITY) && value <= boundOf(maximum, Number.POSITIVE_INFINITY);
}

function boundOf(bound: JsonValue | undefined, otherwise: number): number {
  return typeof bound === 'number' ? bound : otherwise;
}

function numberWords({ type, minimum, maximum }: JsonObject): string {
  const kind = type === 'integer' ? 'a whole number' : 'a number';
  const from = typeof minimum === 'number' ? ` of at least ${minimum}` : '';
  return `${kind}${from}${typeof maximum === 'number' ? ` and at most ${maximum}` : ''}`;
}
