import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts';
import addFormats from 'ajv-formats';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';

/**
 * Returns the type of a value to create: the type of the proposal if the schema allows it, else null if the schema
 * allows it, else the first type. For a schema without a type, returns the type of the proposal.
 */
export function typeFor(schema: JsonObject, proposal: JsonValue | undefined): string {
  const types = getTypes(schema);
  return types.find((type) => fits(type, proposal)) ?? types.find(isNull) ?? types[0] ?? typeName(proposal);
}

/** Returns whether the types of a schema include null, which stands for an unknown value. */
function acceptsNull(schema: JsonValue): boolean {
  return isJsonObject(schema) && getTypes(schema).some(isNull);
}

/** Returns whether a value has a JSON Schema type; false for undefined. */
export function fits(type: string, value: JsonValue | undefined): boolean {
  if (value === undefined) return false;
  return typeName(value) === type || (type === 'integer' && Number.isInteger(value));
}

/**
 * Returns whether the enum of a schema contains a value, or without an enum, whether its types include the value's
 * type. Returns true for the schema `true`, and false for a schema without enum and types.
 */
function accepts(schema: JsonValue, value: JsonValue | undefined): boolean {
  if (!isJsonObject(schema)) return schema === true;
  if (Array.isArray(schema['enum'])) return schema['enum'].includes(value ?? null);
  return getTypes(schema).some((type) => fits(type, value));
}

function getTypes(schema: JsonObject): string[] {
  const { type } = schema;
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return type.filter((one) => typeof one === 'string');
  if ('properties' in schema || 'required' in schema) return ['object'];
  return 'items' in schema ? ['array'] : [];
}

function isNull(type: string): boolean {
  return type === 'null';
}

function typeName(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/**
 * Reduces a schema by one step towards a single type: follows `$ref`, merges `allOf`, or chooses an alternative of
 * `anyOf` or `oneOf`, which may be a reference. Chooses the first alternative that accepts the proposal, else the first
 * that accepts null, else the first. Returns the same object when nothing is left to reduce.
 */
export function narrowSchema(schema: JsonObject, root: JsonObject, proposal: JsonValue | undefined): JsonObject {
  const { $ref, allOf, ...rest } = schema;
  if (typeof $ref === 'string') return merged([atPointer(root, $ref), rest]);
  if (Array.isArray(allOf)) return merged([rest, ...allOf]);
  for (const keyword of ['anyOf', 'oneOf']) {
    const { [keyword]: branches, ...others } = schema;
    if (!Array.isArray(branches)) continue;
    const schemas = branches.map((branch) => followReferences(branch, root));
    return merged([others, chosen(schemas, proposal)]);
  }
  return schema;
}

/** Maximum number of references that lead from one to the next; references in a circle have no end. */
const referencesMax = 20;

function followReferences(schema: JsonValue, root: JsonObject): JsonValue {
  let found = schema;
  for (let count = 0; count < referencesMax && isJsonObject(found) && typeof found['$ref'] === 'string'; count += 1)
    found = narrowSchema(found, root, undefined);
  return found;
}

function chosen(branches: readonly JsonValue[], proposal: JsonValue | undefined): JsonValue {
  return branches.find((branch) => accepts(branch, proposal)) ?? branches.find(acceptsNull) ?? branches[0] ?? {};
}

/** Merges schemas in linear time. Keywords of later schemas win, but properties and required names are combined. */
function merged(schemas: readonly JsonValue[]): JsonObject {
  const objects = schemas.filter(isJsonObject);
  const properties = objects.flatMap((one) => Object.entries(objectOrEmpty(one['properties'])));
  const required = objects.flatMap((one) => listOrEmpty(one['required']));
  return {
    ...Object.fromEntries(objects.flatMap((one) => Object.entries(one))),
    ...(properties.length > 0 ? { properties: Object.fromEntries(properties) } : {}),
    ...(required.length > 0 ? { required } : {}),
  };
}

/** Resolves a reference such as `#/$defs/Item`; returns an empty schema for an unknown reference. */
function atPointer(root: JsonObject, reference: string): JsonValue {
  const steps = reference.split('/').slice(1);
  return steps.reduce<JsonValue>((value, step) => {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (value === null || typeof value !== 'object') return {};
    return Object.entries(value).find(([key]) => key === name)?.[1] ?? {};
  }, root);
}

function objectOrEmpty(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function listOrEmpty(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}

/** Thrown for a schema whose values require too many parts or levels. */
export class SchemaTooLarge extends Error {
  override readonly name = 'SchemaTooLarge';

  constructor() {
    super('the output schema asks for too large a value');
  }
}

/**
 * Compiles a schema to a validation function; returns a sentence for an invalid schema. Compilation and validation may
 * take unbounded time and memory: call this function in a worker process only. With `all`, the validation continues
 * after the first violation, which can take much memory.
 */
export function compileSchema(schema: JsonObject, { all = false } = {}): SchemaJudge | string {
  // Ajv would look up the dialect's URL as another document; every dialect is treated as 2020-12.
  const { $schema: _dialect, ...rest } = schema;
  // An asynchronous validator returns a promise, which no caller awaits.
  if ('$async' in rest) return 'the output schema asks for asynchronous validation ($async)';
  // Optimised code takes ten times as long to generate and runs once.
  const ajv = new Ajv2020({ strict: false, validateFormats: true, allErrors: all, code: { optimize: false } });
  addFormats.default(ajv);
  try {
    const validate = ajv.compile(rest);
    return (value) =>
      validate(value) ? [] : [...new Set((validate.errors ?? [undefined]).map(describe))].slice(0, errorsMax);
  } catch (error) {
    // Ajv throws plain errors for every kind of invalid schema.
    return `the output schema is not valid (${error instanceof Error ? error.message : String(error)})`;
  }
}

/**
 * Maximum number of reported violations. More violations help neither a client nor a model, and a value can have
 * thousands.
 */
const errorsMax = 10;

function describe(error: ErrorObject | undefined): string {
  return `${error?.instancePath === '' ? 'the output' : error?.instancePath} ${error?.message ?? 'does not conform'}`;
}

/**
 * Function that returns the violations of a value as distinct sentences, at most {@link errorsMax}; empty for a
 * conforming value. Unless compiled with `all`, it stops at the first keyword that fails.
 */
export type SchemaJudge = (value: JsonValue) => readonly string[];
