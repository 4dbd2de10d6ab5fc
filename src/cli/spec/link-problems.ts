/*
 * Checks the links of documents (OpenAPI 3.1, "Link Object"), which lead from a response to the operations that use its
 * ids. `svc spec lint` and this project's lint call this module. The check resolves every name and expression of a
 * link, and must not change a document.
 */

import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts';
import { listOperations } from './documents.ts';

/**
 * Returns the link problems of a bundled document, each as a text with the correction. Reports created ids without a
 * link, created resources without a link to their GET operation, and links with an unknown operation, parameter or
 * expression.
 */
export function linkProblems(document: JsonObject): string[] {
  const targets = listTargets(document);
  return [...targets.values()].flatMap((source) =>
    listResponses(document, source).flatMap((answer) => [
      ...missingLinks({ document, targets, source }, answer),
      ...missingReader({ document, targets, source }, answer),
      ...answer.links.flatMap((link) => wrongLink({ document, targets, source }, answer, link)),
    ]),
  );
}

interface World {
  readonly document: JsonObject;
  readonly targets: ReadonlyMap<string, Target>;
  /** The operation of the response. */
  readonly source: Target;
}

/**
 * Returns a problem if a successful POST response contains an `id`, an operation below the path has this id as its path
 * parameter, and no link of the response passes the id on.
 */
function missingLinks({ document, targets, source }: World, { status, schema, links }: LinkedAnswer): string[] {
  if (source.method !== 'post' || !status.startsWith('2') || !describes(document, schema, '/id')) return [];
  const begin = `${source.path}/`;
  const target = [...targets.values()].find(
    ({ path }) => path.startsWith(begin) && /^\{[^/]+\}$/.test(path.slice(begin.length)),
  );
  const parameter = /\{([^{}]+)\}$/.exec(target?.path ?? '')?.[1];
  if (target === undefined || parameter === undefined) return [];
  if (links.some((link) => Object.values(link.parameters).includes('$response.body#/id'))) return [];
  const example = `{ operationId: ${target.id}, description: ..., parameters: { ${parameter}: $response.body#/id } }`;
  return [
    `${source.method} ${source.path} ${status}: found no link that takes the id, expected at least one, because ${target.path} does. ` +
      `Add to operations/${source.id}.yaml under "${status}": links: { ${target.id}: ${example} }`,
  ];
}

/**
 * Returns a problem if a GET operation of the same path returns the schema of a successful POST response, and this
 * response has no link to the GET operation.
 */
function missingReader({ document, targets, source }: World, { status, schema, links }: LinkedAnswer): string[] {
  if (source.method !== 'post' || !status.startsWith('2') || schema === undefined) return [];
  const reader = [...targets.values()].find(
    (target) =>
      target.method === 'get' &&
      target.path === source.path &&
      listResponses(document, target).some((answer) => JSON.stringify(answer.schema) === JSON.stringify(schema)),
  );
  if (reader === undefined || links.some(({ operationId }) => operationId === reader.id)) return [];
  return [
    `${source.method} ${source.path} ${status}: found no link to ${reader.id}, expected one, because it answers with the same. ` +
      `Add it to operations/${source.id}.yaml under "${status}"`,
  ];
}

function wrongLink(world: World, answer: LinkedAnswer, link: FoundLink): string[] {
  const { source, targets } = world;
  const target = targets.get(link.operationId);
  const problems =
    target === undefined
      ? [`found no operation ${link.operationId || '(none named)'}. Correct operationId`]
      : [...unknownNames(target, link), ...missingNames(target, link), ...deadExpressions(world, answer, link)];
  const where = `${source.method} ${source.path} ${answer.status} link ${link.name}`;
  return problems.map((problem) => `${where}: ${problem} in operations/${source.id}.yaml`);
}

function unknownNames({ id, parameters }: Target, link: FoundLink): string[] {
  const known = parameters.map(({ name }) => name);
  return Object.keys(link.parameters)
    .filter((name) => !known.includes(name))
    .map((name) => `${id} has no parameter ${name}, expected one of ${known.join(', ') || 'none'}. Correct it`);
}

function missingNames({ id, parameters }: Target, link: FoundLink): string[] {
  return parameters
    .filter(({ name, required }) => required && !(name in link.parameters))
    .map(({ name }) => `found no ${name}, which ${id} needs. Add it to parameters`);
}

function deadExpressions({ document, source }: World, answer: LinkedAnswer, link: FoundLink): string[] {
  return Object.entries(link.parameters)
    .filter(([, expression]) => !leadsSomewhere({ document, source }, answer, expression))
    .map(
      ([name, expression]) =>
        `${name} is ${JSON.stringify(expression)}, which this answer does not have. Name a member of its schema ` +
        `($response.body#/id) or a parameter of the request ($request.path.name)`,
    );
}

/** Returns whether a runtime expression names an existing member of the response or parameter of the request. */
function leadsSomewhere(
  { document, source }: Pick<World, 'document' | 'source'>,
  { schema }: LinkedAnswer,
  value: JsonValue,
): boolean {
  const expression = textOrEmpty(value);
  const body = /^\$response\.body#(\/.+)$/.exec(expression);
  if (body?.[1] !== undefined) return describes(document, schema, body[1]);
  const request = /^\$request\.(path|query|header)\.(.+)$/.exec(expression);
  return source.parameters.some(({ place, name }) => place === request?.[1] && name === request[2]);
}

/** A response of an operation with its links. */
export interface LinkedAnswer {
  /** Status, for example `201`. */
  readonly status: string;
  /** Schema of the JSON body; undefined without one. */
  readonly schema: JsonValue | undefined;
  readonly links: readonly FoundLink[];
}

/** A link of a response. */
export interface FoundLink {
  readonly name: string;
  readonly operationId: string;
  /** Runtime expressions by parameter of the target operation. */
  readonly parameters: Readonly<Record<string, JsonValue>>;
}

/** Returns the responses of an operation in document order. */
export function listResponses(document: JsonObject, { operation }: Target): LinkedAnswer[] {
  const responses = isJsonObject(operation['responses']) ? operation['responses'] : {};
  return Object.entries(responses).map(([status, value]) => {
    const response = follow(document, value);
    const content = isJsonObject(response['content']) ? response['content'] : {};
    const media = content['application/json'];
    return {
      status,
      schema: isJsonObject(media) ? media['schema'] : undefined,
      links: listLinks(document, response['links']),
    };
  });
}

function listLinks(document: JsonObject, value: JsonValue | undefined): FoundLink[] {
  return Object.entries(isJsonObject(value) ? value : {}).map(([name, entry]) => {
    const { operationId, parameters } = follow(document, entry);
    return {
      name,
      operationId: typeof operationId === 'string' ? operationId : '',
      parameters: isJsonObject(parameters) ? parameters : {},
    };
  });
}

/**
 * Returns the object to which the local `$ref` of a value refers, or an object without `$ref` unchanged. Returns an
 * empty object for a broken reference and for a value that is no object. Does not follow a further reference in the
 * result.
 */
export function follow(document: JsonObject, value: JsonValue | undefined): JsonObject {
  const reference = isJsonObject(value) ? value['$ref'] : undefined;
  if (typeof reference !== 'string') return isJsonObject(value) ? value : {};
  let found: JsonValue | undefined = document;
  for (const part of reference.replace('#/', '').split('/')) found = isJsonObject(found) ? found[part] : undefined;
  return isJsonObject(found) ? found : {};
}

/** Returns whether a schema describes a value at a JSON pointer, for example `/items/0/id`. */
function describes(document: JsonObject, schema: JsonValue | undefined, pointer: string): boolean {
  const parts = pointer.split('/').slice(1);
  let places = alternatives(document, schema);
  for (const part of parts) places = places.flatMap((place) => below(document, place, part));
  return places.length > 0;
}

/**
 * Returns a schema, with its reference resolved, and the schemas that it is composed of by `allOf`, `anyOf` and
 * `oneOf`, at any depth. Empty for a value that is no object.
 */
function alternatives(document: JsonObject, value: JsonValue | undefined): JsonObject[] {
  if (!isJsonObject(value)) return [];
  const schema = follow(document, value);
  const parts = ['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => {
    const list = schema[keyword];
    return Array.isArray(list) ? list : [];
  });
  return [schema, ...parts.flatMap((part) => alternatives(document, part))];
}

function below(document: JsonObject, schema: JsonObject, part: string): JsonObject[] {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  return alternatives(document, /^\d+$/.test(part) ? schema['items'] : properties[part]);
}

/** An operation that is the source or target of a link. */
export interface Target {
  readonly id: string;
  /** HTTP method in lower case. */
  readonly method: string;
  readonly path: string;
  readonly operation: JsonObject;
  readonly parameters: readonly LinkedParameter[];
}

/** A parameter that a link can set. */
export interface LinkedParameter {
  readonly name: string;
  /** Location: `path`, `query` or `header`. */
  readonly place: string;
  readonly required: boolean;
}

/** Returns all operations of a document by operationId, in document order. */
export function listTargets(document: JsonObject): ReadonlyMap<string, Target> {
  return new Map(
    listOperations(document).map(({ method, path, operation }) => {
      const id = textOrEmpty(operation['operationId']);
      const listed = Array.isArray(operation['parameters']) ? operation['parameters'] : [];
      const parameters = listed.map((entry) => describeParameter(follow(document, entry)));
      return [id, { id, method, path, operation, parameters }];
    }),
  );
}

function describeParameter(parameter: JsonObject): LinkedParameter {
  return {
    name: textOrEmpty(parameter['name']),
    place: textOrEmpty(parameter['in']),
    required: parameter['required'] === true,
  };
}

/** Returns a text unchanged, and '' for any other value. */
function textOrEmpty(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
