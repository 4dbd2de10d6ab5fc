import { readFileSync } from 'node:fs';
import type { JsonObject } from '#lib/json.ts';
import { objectOf, objectsOf, textOf } from './json.ts';
import type { Generation } from './sample.ts';
import type { Stage } from './stage.ts';

/** Stands for the address of the server in what is prepared once. */
const placeholderHost = 'http://127.0.0.1:9';

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

/**
 * The document of a generation as every peer is given it: one server, and placeholders for ids that exist as the examples
 * of path parameters. What deletes something is given ids of its own, so that the rest still finds what it asks for.
 */
export function prepareDocument(generation: Generation): JsonObject {
  const document = objectOf(JSON.parse(readFileSync(`generated/openapi/${generation}.json`, 'utf8')));
  document['servers'] = [{ url: `${placeholderHost}/api/${generation}` }];
  const shared = objectOf(objectOf(document['components'])['parameters']);
  for (const item of Object.values(objectOf(document['paths'])).map(objectOf)) {
    const common = objectsOf(item['parameters']);
    delete item['parameters'];
    for (const method of methods) {
      const operation = item[method];
      if (operation === undefined) continue;
      prepareOperation(objectOf(operation), { common, shared });
    }
  }
  return document;
}

/** What was prepared once, with the address and the ids of a stage. */
export function placeOn({ address, seeded }: Stage, prepared: string): string {
  const kept = Object.entries(seeded.kept).map(([name, id]) => [placeholder(name, false), id] as const);
  const spare = Object.entries(seeded.spare).map(([name, id]) => [placeholder(name, true), id] as const);
  const filled = [...kept, ...spare].reduce((text, [from, to]) => text.replaceAll(from, to), prepared);
  return filled.replaceAll(placeholderHost, address);
}

function prepareOperation(
  operation: JsonObject,
  { common, shared }: { readonly common: readonly JsonObject[]; readonly shared: JsonObject },
): void {
  const ends = /^(delete(Session|Profile|Workspace)|purgeSession)$/.test(textOf(operation['operationId']));
  const parameters = [...common, ...objectsOf(operation['parameters'])].map((parameter) => resolved(parameter, shared));
  operation['parameters'] = parameters.map((parameter) =>
    parameter['in'] === 'path' ? withExample(parameter, ends) : withNeeded(parameter),
  );
  for (const content of Object.values(objectOf(objectOf(operation['requestBody'])['content'])).map(objectOf))
    keepPlainExamples(content);
}

/** Examples that name other things by id speak of what no server has. */
function keepPlainExamples(content: JsonObject): void {
  const examples = Object.entries(objectOf(content['examples']));
  const plain = examples.filter(([, example]) => !/[0-9a-f]{8}-[0-9a-f]{4}-/.test(JSON.stringify(example)));
  if (plain.length > 0) content['examples'] = Object.fromEntries(plain);
}

function resolved(parameter: JsonObject, shared: JsonObject): JsonObject {
  const reference = parameter['$ref'];
  return typeof reference === 'string'
    ? structuredClone(objectOf(shared[reference.split('/').at(-1) ?? '']))
    : parameter;
}

/** A query member that is required and has no example is the path of a file; Dredd sends nothing at all without one. */
function withNeeded(parameter: JsonObject): JsonObject {
  return parameter['required'] === true && parameter['example'] === undefined
    ? { ...parameter, example: 'invoice.pdf' }
    : parameter;
}

/** Messages are counted from 1: the second one belongs to the second session. */
function withExample(parameter: JsonObject, isSpare: boolean): JsonObject {
  const isNumber = objectOf(parameter['schema'])['type'] === 'integer';
  const example = isNumber ? Number(isSpare) + 1 : placeholder(textOf(parameter['name']), isSpare);
  return { ...parameter, example, schema: { ...objectOf(parameter['schema']), example } };
}

const names = ['profile_id', 'workspace_id', 'session_id', 'task_id', 'run_id', 'id', 'file_id'];

function placeholder(name: string, isSpare: boolean): string {
  return `0e5ca1ab-000${isSpare ? 2 : 1}-4000-8000-00000000000${names.indexOf(name)}`;
}
