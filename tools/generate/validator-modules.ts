import { Ajv2020, type Options } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import addFormats from 'ajv-formats';
import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';
import { gatheringInPlace } from '#api/http/validators.ts';
import { baselineSchema } from '#conformance/report/baseline/baseline.ts';
import { type NamedOperation, targetSchema } from '#conformance/core/target-schema.ts';
import { emitModule } from './write-files.ts';

/**
 * Returns the text of a module with a validator for each request and response body of a document. The name of a
 * validator is the reference to its schema. The validators report every error of a body.
 */
export function bodyValidators(id: string, document: JsonObject): string {
  return documentValidators(id, document, bodySchemas(document));
}

/**
 * Returns the text of a module with validators for the contract view of a document: for request bodies, for every
 * schema component, and for each member of a component.
 */
export function contractValidators(id: string, document: JsonObject): string {
  return documentValidators(id, document, [...requestSchemas(document), ...componentSchemas(document)]);
}

function documentValidators(id: string, document: JsonObject, places: readonly string[][]): string {
  const ajv = newAjv({ ...everyError, strict: false });
  ajv.addSchema(withoutWords(document), id);
  const found = places.filter((steps) => at(document, steps) !== undefined);
  const references = new Set(found.map((steps) => `${id}#/${steps.map(encodeStep).join('/')}`));
  return getModule(
    ajv,
    Array.from(references, (reference) => ({ name: reference, schema: { $ref: reference } })),
  );
}

/**
 * Functions that return the text of a module with a validator for one kind of file of the suite. The name of the
 * validator is `file`.
 */
export const fileValidators = {
  /**
   * Returns the module for `svc-target.yaml`. Each error contains the violated schema, whose member names an error
   * message lists.
   */
  target: (operations: readonly NamedOperation[]): string =>
    fileValidator(targetSchema(operations), {
      ...everyError,
      inlineRefs: false,
      verbose: true,
      allowUnionTypes: true,
    }),
  baseline: (): string => fileValidator(baselineSchema, everyError),
  report: (schema: JsonObject): string => fileValidator(schema, { strict: false }),
};

const everyError = { allErrors: true } as const;

function fileValidator(schema: object, options: Options): string {
  return getModule(newAjv(options), [{ name: 'file', schema }]);
}

function newAjv(options: Options): Ajv2020 {
  const ajv = new Ajv2020({ ...options, validateSchema: false, code: { source: true, lines: true } });
  addFormats.default(ajv);
  return ajv;
}

interface NamedSchema {
  readonly name: string;
  readonly schema: object;
}

const moduleTypes = `// @ts-nocheck -- code of a compiler

/** Functions that the validators call. */
export interface Runtime {
  /** Whether two JSON values are the same. */
  readonly equal: unknown;
  /** Characters of a text, where a pair of surrogates is one. */
  readonly textLength: unknown;
  /** Formats of ajv-formats by name. */
  readonly formats: unknown;
}

/** Error of a value, in the form of Ajv. */
export interface SchemaError {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
  readonly parentSchema?: Readonly<Record<string, unknown>>;
}

/** True for a value that fits; \`errors\` are those of the last value that did not. */
export interface Validate {
  (value: unknown): boolean;
  readonly errors?: readonly SchemaError[] | null;
}

/** Creates the validators by name. */
export function createValidators({ equal, textLength, formats }: Runtime): Readonly<Record<string, Validate>> {
  const exports = {};
`;

function getModule(ajv: Ajv2020, schemas: readonly NamedSchema[]): string {
  // A schema's key is the base URL of its references; a key without a slash does not change them.
  const names = Object.fromEntries(schemas.map(({ name }, index) => [name, `validator-${index}`]));
  for (const [index, { schema }] of schemas.entries()) ajv.addSchema(schema, `validator-${index}`);
  const code = gatheringInPlace(withoutUnused(standalone.default(ajv, names).replace('"use strict";', '')))
    .replaceAll('require("ajv/dist/runtime/equal").default', 'equal')
    .replaceAll('require("ajv/dist/runtime/ucs2length").default', 'textLength')
    .replaceAll('require("ajv-formats/dist/formats").fullFormats', 'formats');
  const foreign = /require\([^)]*\)/.exec(code);
  if (foreign !== null) throw new Error(`validators: found ${foreign[0]}, expected nothing but what the runtime has`);
  return emitModule(`${moduleTypes}${code.trim()}\n  return exports;\n}\n`);
}

/** Removes the constants of schemas that the code does not use. */
function withoutUnused(code: string): string {
  const uses = new Map<string, number>();
  for (const [name] of code.matchAll(/\bschema\d+\b/g)) uses.set(name, (uses.get(name) ?? 0) + 1);
  const isUnused = (line: string): boolean => {
    const name = /^const (schema\d+) = .*;$/.exec(line)?.[1];
    return name !== undefined && uses.get(name) === 1;
  };
  return code
    .split('\n')
    .filter((line) => !isUnused(line))
    .join('\n');
}

/** Keywords of a document that are for people or tools and have no effect on validation. */
const words = new Set(['description', 'summary', 'title', 'example', 'examples', 'default', 'deprecated']);
/** Keywords whose value is an object with arbitrary names as members. */
const maps = new Set('properties $defs paths responses callbacks schemas parameters requestBodies headers'.split(' '));

function withoutWords(object: JsonObject, areNames = false): JsonObject {
  const kept = Object.entries(object).filter(([name]) => areNames || !(words.has(name) || name.startsWith('x-')));
  return Object.fromEntries(
    kept.map(([name, value]): [string, JsonValue] => [name, reduced(value, !areNames && maps.has(name))]),
  );
}

function reduced(value: JsonValue, areNames: boolean): JsonValue {
  if (Array.isArray(value)) return value.map((entry) => reduced(entry, false));
  return isJsonObject(value) ? withoutWords(value, areNames) : value;
}

/** Path from a request or response body of a document to its JSON schema. */
const bodySchema = ['content', 'application/json', 'schema'];

function requestSchemas(document: JsonObject): string[][] {
  return operationsIn(document).map((place) => [...behind(document, [...place, 'requestBody']), ...bodySchema]);
}

function bodySchemas(document: JsonObject): string[][] {
  const answers = operationsIn(document).flatMap((place) =>
    entriesAt(document, [...place, 'responses']).map(([status]) => [
      ...behind(document, [...place, 'responses', status]),
      ...bodySchema,
    ]),
  );
  return [...requestSchemas(document), ...answers];
}

function componentSchemas(document: JsonObject): string[][] {
  return entriesAt(document, ['components', 'schemas']).flatMap(([name, schema]) => {
    const place = ['components', 'schemas', name];
    return [place, ...entriesAt(schema, ['properties']).map(([member]) => [...place, 'properties', member])];
  });
}

function operationsIn(document: JsonObject): string[][] {
  return entriesAt(document, ['paths']).flatMap(([path, methods]) =>
    entriesAt(methods, []).map(([method]) => ['paths', path, method]),
  );
}

/** Returns the path of an object in a document; for a reference, the path of its target. */
function behind(document: JsonObject, place: string[]): string[] {
  const holder = at(document, place);
  const reference = isJsonObject(holder) ? holder['$ref'] : undefined;
  return typeof reference === 'string' ? reference.replace('#/', '').split('/') : place;
}

function entriesAt(value: JsonValue, steps: readonly string[]): [string, JsonValue][] {
  const found = at(value, steps);
  return isJsonObject(found) ? Object.entries(found) : [];
}

function at(value: JsonValue, steps: readonly string[]): JsonValue | undefined {
  return steps.reduce<JsonValue | undefined>((found, step) => (isJsonObject(found) ? found[step] : undefined), value);
}

function encodeStep(step: string): string {
  return encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'));
}
