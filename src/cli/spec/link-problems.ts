/*
 * Links of the documents (OpenAPI 3.1, "Link Object"): from an answer to the operations that take its ids. Called by
 * `svc spec lint` and by the lint of this project. A link that leads nowhere is worse than none, so every name and every
 * expression of one is followed. Must not change a document.
 */

import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts';
import { operationsOf } from './documents.ts';

/**
 * Problems of the links of one bundled document, one text each, which says what to write: a creating operation whose new id
 * no link takes, one whose answer can be read again where no link leads, and a link whose operation, parameter or expression
 * does not exist.
 */
export function linkProblems(document: JsonObject): string[] {
  const targets = targetsOf(document);
  return [...targets.values()].flatMap((source) =>
    answersOf(document, source).flatMap((answer) => [
      ...missingLinks({ document, targets, source }, answer),
      ...missingReader({ document, targets, source }, answer),
      ...answer.links.flatMap((link) => wrongLink({ document, targets, source }, answer, link)),
    ]),
  );
}

interface World {
  readonly document: JsonObject;
  readonly targets: ReadonlyMap<string, Target>;
  /** The operation whose answer it is. */
  readonly source: Target;
}

/** The id that a creation answers with leads to the operations that take it in their path. */
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

/** What a creation answers with can be read again at the path that it was made at. */
function missingReader({ document, targets, source }: World, { status, schema, links }: LinkedAnswer): string[] {
  if (source.method !== 'post' || !status.startsWith('2') || schema === undefined) return [];
  const reader = [...targets.values()].find(
    (target) =>
      target.method === 'get' &&
      target.path === source.path &&
      answersOf(document, target).some((answer) => JSON.stringify(answer.schema) === JSON.stringify(schema)),
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

/** Whether a runtime expression names a member of the answer or a parameter of the request that was answered. */
function leadsSomewhere(
  { document, source }: Pick<World, 'document' | 'source'>,
  { schema }: LinkedAnswer,
  value: JsonValue,
): boolean {
  const expression = textOf(value);
  const body = /^\$response\.body#(\/.+)$/.exec(expression);
  if (body?.[1] !== undefined) return describes(document, schema, body[1]);
  const request = /^\$request\.(path|query|header)\.(.+)$/.exec(expression);
  return source.parameters.some(({ place, name }) => place === request?.[1] && name === request[2]);
}

/** One answer of an operation, with what a link says of it. */
export interface LinkedAnswer {
  /** For example `201`. */
  readonly status: string;
  /** Schema of the JSON body; absent without one. */
  readonly schema: JsonValue | undefined;
  readonly links: readonly FoundLink[];
}

/** A link of an answer. */
export interface FoundLink {
  readonly name: string;
  readonly operationId: string;
  /** Parameter of the target -> expression that fills it. */
  readonly parameters: Readonly<Record<string, JsonValue>>;
}

/** The answers of an operation in document order. */
export function answersOf(document: JsonObject, { operation }: Target): LinkedAnswer[] {
  const responses = isJsonObject(operation['responses']) ? operation['responses'] : {};
  return Object.entries(responses).map(([status, value]) => {
    const response = follow(document, value);
    const content = isJsonObject(response['content']) ? response['content'] : {};
    const media = content['application/json'];
    return {
      status,
      schema: isJsonObject(media) ? media['schema'] : undefined,
      links: linksOf(document, response['links']),
    };
  });
}

function linksOf(document: JsonObject, value: JsonValue | undefined): FoundLink[] {
  return Object.entries(isJsonObject(value) ? value : {}).map(([name, entry]) => {
    const { operationId, parameters } = follow(document, entry);
    return {
      name,
      operationId: typeof operationId === 'string' ? operationId : '',
      parameters: isJsonObject(parameters) ? parameters : {},
    };
  });
}

/** What a reference of the document stands for; any other value is answered as it is. */
export function follow(document: JsonObject, value: JsonValue | undefined): JsonObject {
  const reference = isJsonObject(value) ? value['$ref'] : undefined;
  if (typeof reference !== 'string') return isJsonObject(value) ? value : {};
  let found: JsonValue | undefined = document;
  for (const part of reference.replace('#/', '').split('/')) found = isJsonObject(found) ? found[part] : undefined;
  return isJsonObject(found) ? found : {};
}

/** Whether the schema describes a value at that JSON pointer, for example `/items/0/id`. */
function describes(document: JsonObject, schema: JsonValue | undefined, pointer: string): boolean {
  const parts = pointer.split('/').slice(1);
  let places = alternatives(document, schema);
  for (const part of parts) places = places.flatMap((place) => below(document, place, part));
  return places.length > 0;
}

/** The schema itself and every part that it is composed of. */
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

/** An operation as the source or the target of a link. */
export interface Target {
  readonly id: string;
  /** Lower case. */
  readonly method: string;
  readonly path: string;
  readonly operation: JsonObject;
  readonly parameters: readonly LinkedParameter[];
}

/** A parameter that a link can fill. */
export interface LinkedParameter {
  readonly name: string;
  /** `path`, `query` or `header`. */
  readonly place: string;
  readonly required: boolean;
}

/** Every operation of a document by its operationId, in document order. */
export function targetsOf(document: JsonObject): ReadonlyMap<string, Target> {
  return new Map(
    operationsOf(document).map(({ method, path, operation }) => {
      const id = textOf(operation['operationId']);
      const listed = Array.isArray(operation['parameters']) ? operation['parameters'] : [];
      const parameters = listed.map((entry) => parameterOf(follow(document, entry)));
      return [id, { id, method, path, operation, parameters }];
    }),
  );
}

function parameterOf(parameter: JsonObject): LinkedParameter {
  return {
    name: textOf(parameter['name']),
    place: textOf(parameter['in']),
    required: parameter['required'] === true,
  };
}

/** The value when it is text, else nothing. */
function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
