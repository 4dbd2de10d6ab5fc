import type { JsonObject, JsonValue } from '#lib/json.ts';
import { type FoundLink, type LinkedAnswer, answersOf } from './answers.ts';
import { describes } from './follow.ts';
import { type Target, targetsOf, textOf } from './targets.ts';

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
