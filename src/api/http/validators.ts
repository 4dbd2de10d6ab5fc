import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';

/** Validators of one operation, compiled on first use. */
export interface OperationValidators {
  readonly path: ValidateFunction;
  readonly query: ValidateFunction;
  /** Names of query parameters that are lists. A client repeats such a parameter for each element. */
  readonly lists: ReadonlySet<string>;
  readonly headers: { readonly validate: ValidateFunction; readonly names: readonly string[] };
  /** Validator of the body; undefined when the operation has no body. */
  readonly body: { readonly validate: ValidateFunction; readonly required: boolean } | undefined;
  readonly responses: ResponseValidators;
}

/** Validators of the responses of one operation. */
export interface ResponseValidators {
  /** Statuses that the operation documents. */
  readonly statuses: ReadonlySet<number>;
  /**
   * Returns the validator of a response body; undefined for a response without body and for an undocumented status.
   * Bodies of refusals must not contain undocumented members, because clients read refusals by their members.
   */
  of(status: number): ValidateFunction | undefined;
  /** Returns the validators of the documented headers of a status, by lower-case name; header values are texts. */
  headers(status: number): ReadonlyMap<string, ValidateFunction>;
}

/** Response validators of an operation without a document. */
export const noResponses: ResponseValidators = {
  statuses: new Set(),
  of: () => undefined,
  headers: () => new Map(),
};

/** Options of {@link createValidators}. */
export interface ValidatorOptions {
  /**
   * Whether the keywords that a schema lists in `x-operation-judges` are removed, because operations check them with
   * better messages. @defaultValue false
   */
  readonly operationsJudge?: boolean;
}

/**
 * Creates the validators of a bundled OpenAPI 3.1 document. They ignore the rule tables that are compiled into the
 * document, because the decide stage checks these tables. Validators are compiled on first use: compiling all would
 * dominate the start time, and most services use few operations.
 */
export function createValidators(
  document: JsonObject,
  { operationsJudge = false }: ValidatorOptions = {},
): (method: string, path: string) => OperationValidators {
  const root = withoutRules(document);
  if (operationsJudge) leaveToOperations(root);
  const id = 'https://svc.example/document';
  const strict = once(() => newAjv(false).addSchema({ ...root, $id: id }));
  const coercing = once(() => newAjv(true).addSchema({ ...root, $id: id }));
  return (method, path) => {
    const place = ['paths', path, method.toLowerCase()];
    const operation = objectAt(root, place);
    const at = (...rest: string[]): JsonObject => ({ $ref: `${id}#/${[...place, ...rest].map(pointer).join('/')}` });
    const parameters = listParameters(root, operation).map((parameter) => withAbsoluteReferences(parameter, id));
    const inPath = once(() => coercing().compile(parameterSchema(parameters, 'path')));
    const inQuery = once(() => coercing().compile(parameterSchema(parameters, 'query')));
    const inHeaders = once(() => strict().compile(parameterSchema(parameters, 'header')));
    return {
      get path() {
        return inPath();
      },
      get query() {
        return inQuery();
      },
      lists: new Set(parameters.filter(isList).map(parameterName)),
      headers: {
        get validate() {
          return inHeaders();
        },
        names: parameters.filter((parameter) => parameter['in'] === 'header').map(parameterName),
      },
      body: compileBody(operation, (rest) => strict().compile(at(...rest))),
      responses: compileResponses(root, operation, {
        body: (rest, keywords) => strict().compile({ ...at(...rest), ...keywords }),
        sharedBody: (reference, keywords) => strict().compile({ $ref: `${id}${reference}`, ...keywords }),
        header: (schema) => coercing().compile(parameterSchema([{ ...schema, in: 'header', name: 'value' }], 'header')),
      }),
    };
  };
}

/** Returns a function that computes a value on its first call and then returns the same value. */
function once<Made>(make: () => Made): () => Made {
  let made: { readonly value: Made } | null = null;
  return () => (made ??= { value: make() }).value;
}

/**
 * Creates an Ajv instance without validation of the documents, which `npm run lint:spec` validates. A second validation
 * would compile the meta schema at each start.
 */
function newAjv(coerceTypes: boolean): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors: true,
    strict: false,
    verbose: true,
    validateSchema: false,
    useDefaults: coerceTypes,
    coerceTypes,
    code: { process: gatheringInPlace },
  });
  addFormats.default(ajv);
  return ajv;
}

/**
 * Changes Ajv's code for referenced schemas. The original copies all earlier errors for each value, which takes
 * quadratic time in a list. The changed code appends to the list of errors.
 * @throws when Ajv's code has an unknown form
 */
export function gatheringInPlace(code: string): string {
  const gathering = code.replaceAll(
    /vErrors === null \? ([\w.]+) : vErrors\.concat\(\1\)/g,
    'vErrors === null ? $1 : ($1.forEach((error) => vErrors.push(error)), vErrors)',
  );
  if (gathering.includes('vErrors.concat(')) throw new Error('validators: found a copy of errors that is not known');
  return gathering;
}

/**
 * Returns a copy of a document without the compiled rule tables in the `allOf` of schemas with `x-rules`, because the
 * decide stage checks these tables with better messages. Handwritten conditions, which have `x-operation-judges`, stay.
 */
function withoutRules(document: JsonObject): JsonObject {
  const copy = structuredClone(document);
  for (const schema of Object.values(objectAt(copy, ['components', 'schemas']))) {
    if (!isJsonObject(schema) || !('x-rules' in schema)) continue;
    const parts = Array.isArray(schema['allOf']) ? schema['allOf'] : [];
    const written = parts.filter((part) => isJsonObject(part) && 'x-operation-judges' in part);
    if (written.length === 0) delete schema['allOf'];
    else schema['allOf'] = written;
  }
  return copy;
}

/** Removes, in place, the keywords that each schema lists in `x-operation-judges`. */
function leaveToOperations(node: JsonValue): void {
  if (Array.isArray(node)) for (const member of node) leaveToOperations(member);
  if (!isJsonObject(node)) return;
  const keywords = node['x-operation-judges'];
  if (Array.isArray(keywords))
    for (const keyword of keywords.filter((name) => typeof name === 'string')) delete node[keyword];
  for (const member of Object.values(node)) leaveToOperations(member);
}

function compileBody(
  operation: JsonObject,
  compile: (rest: string[]) => ValidateFunction,
): OperationValidators['body'] {
  const body = operation['requestBody'];
  if (!isJsonObject(body)) return undefined;
  const validate = once(() => compile(['requestBody', 'content', 'application/json', 'schema']));
  return {
    get validate() {
      return validate();
    },
    required: body['required'] === true,
  };
}

/** Compiles the parts of responses. */
interface Compile {
  /** Compiles a schema at a path within the operation, with additional keywords. */
  body(rest: string[], keywords: JsonObject): ValidateFunction;
  /**
   * Compiles a schema that a local reference names, such as `#/components/responses/NotFound`, with additional
   * keywords.
   */
  sharedBody(reference: string, keywords: JsonObject): ValidateFunction;
  /**
   * Compiles the schema of a header. The validator expects an object whose member `value` is the text of the header.
   */
  header(header: JsonObject): ValidateFunction;
}

const jsonSchema = ['content', 'application/json', 'schema'];

function compileResponses(root: JsonObject, operation: JsonObject, compile: Compile): OperationValidators['responses'] {
  const responses = Object.entries(objectAt(operation, ['responses'])).map(
    ([status, response]): [number, ResponseDeps] => [
      Number(status),
      responseParts(root, { status, response, compile }),
    ],
  );
  const known = new Map(responses);
  return {
    statuses: new Set(known.keys()),
    of: (status) => known.get(status)?.body?.(),
    headers: (status) => known.get(status)?.headers() ?? noHeaders,
  };
}

const noHeaders: ReadonlyMap<string, ValidateFunction> = new Map();

/** Validators of the responses with one status, each compiled on first use. */
interface ResponseDeps {
  readonly body: (() => ValidateFunction) | undefined;
  readonly headers: () => ReadonlyMap<string, ValidateFunction>;
}

function responseParts(
  root: JsonObject,
  { status, response, compile }: { readonly status: string; readonly response: JsonValue; readonly compile: Compile },
): ResponseDeps {
  const resolved = resolve(root, response);
  const headers = once(() => {
    const named = isJsonObject(resolved['headers']) ? Object.entries(resolved['headers']) : [];
    return new Map(named.map(([name, header]) => [name.toLowerCase(), compile.header(resolve(root, header))]));
  });
  if (!isJsonObject(resolved['content'])) return { body: undefined, headers };
  const keywords = Number(status) >= 400 ? { unevaluatedProperties: false } : {};
  const reference = isJsonObject(response) ? response['$ref'] : undefined;
  const body = once(() =>
    typeof reference === 'string'
      ? compile.sharedBody(`${reference}/${jsonSchema.map(pointer).join('/')}`, keywords)
      : compile.body(['responses', status, ...jsonSchema], keywords),
  );
  return { body, headers };
}

function listParameters(root: JsonObject, operation: JsonObject): JsonObject[] {
  const parameters = operation['parameters'];
  return Array.isArray(parameters) ? parameters.map((parameter) => resolve(root, parameter)) : [];
}

/**
 * Returns a copy of a schema with absolute references, because the schema of a parameter is compiled outside of its
 * document.
 */
function withAbsoluteReferences(node: JsonObject, id: string): JsonObject {
  const visit = (value: JsonValue): JsonValue => {
    if (Array.isArray(value)) return value.map(visit);
    return isJsonObject(value) ? withAbsoluteReferences(value, id) : value;
  };
  return Object.fromEntries(
    Object.entries(node).map(([name, value]) => [
      name,
      name === '$ref' && typeof value === 'string' && value.startsWith('#') ? `${id}${value}` : visit(value),
    ]),
  );
}

function parameterSchema(parameters: readonly JsonObject[], place: string): JsonObject {
  const wanted = parameters.filter((parameter) => parameter['in'] === place);
  return {
    type: 'object',
    properties: Object.fromEntries(
      wanted.map((parameter): [string, JsonValue] => [parameterName(parameter), parameter['schema'] ?? {}]),
    ),
    required: wanted.filter((parameter) => parameter['required'] === true).map(parameterName),
  };
}

function isList({ in: place, schema }: JsonObject): boolean {
  return place === 'query' && isJsonObject(schema) && schema['type'] === 'array';
}

function parameterName(parameter: JsonObject): string {
  const name = parameter['name'];
  if (typeof name !== 'string') throw new Error('document: expected a parameter with a name');
  return name;
}

function resolve(root: JsonObject, value: JsonValue): JsonObject {
  if (!isJsonObject(value)) throw new Error('document: expected an object');
  const reference = value['$ref'];
  return typeof reference === 'string' ? objectAt(root, reference.replace('#/', '').split('/').map(unpointer)) : value;
}

function objectAt(root: JsonObject, path: readonly string[]): JsonObject {
  let found: JsonValue | undefined = root;
  for (const part of path) found = isJsonObject(found) ? found[part] : undefined;
  if (!isJsonObject(found)) throw new Error(`document: found nothing at ${path.join(' > ')}`);
  return found;
}

function pointer(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function unpointer(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}
