import { readFileSync } from 'node:fs';
import type { JsonObject } from '#lib/json.ts';
import { toObject, toObjects, toText } from './json.ts';
import type { Generation } from './sample.ts';
import type { Stage } from './stage.ts';

/** Placeholder of the server URL in prepared documents. */
const placeholderHost = 'http://127.0.0.1:9';

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

/**
 * Returns the OpenAPI document of a generation for all tools, with one server. Each path parameter has an example: a
 * placeholder for the id of an existing record. Operations that delete or purge get the id of a second record, so that
 * all other requests still find the first record.
 */
export function prepareDocument(generation: Generation): JsonObject {
  const document = toObject(JSON.parse(readFileSync(`generated/openapi/${generation}.json`, 'utf8')));
  document['servers'] = [{ url: `${placeholderHost}/api/${generation}` }];
  const shared = toObject(toObject(document['components'])['parameters']);
  for (const item of Object.values(toObject(document['paths'])).map(toObject)) {
    const common = toObjects(item['parameters']);
    delete item['parameters'];
    for (const method of methods) {
      const operation = item[method];
      if (operation === undefined) continue;
      prepareOperation(toObject(operation), { common, shared });
    }
  }
  return document;
}

/** Returns the text of a prepared document in which the URL and the ids of a server replace the placeholders. */
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
  const ends = /^(delete(Session|Profile|Workspace)|purgeSession)$/.test(toText(operation['operationId']));
  const parameters = [...common, ...toObjects(operation['parameters'])].map((parameter) => resolved(parameter, shared));
  operation['parameters'] = parameters.map((parameter) =>
    parameter['in'] === 'path' ? withExample(parameter, ends) : withNeeded(parameter),
  );
  for (const content of Object.values(toObject(toObject(operation['requestBody'])['content'])).map(toObject))
    keepPlainExamples(content);
}

/**
 * Removes request examples that contain ids, because records with these ids may not exist. Keeps all examples if each
 * contains an id.
 */
function keepPlainExamples(content: JsonObject): void {
  const examples = Object.entries(toObject(content['examples']));
  const plain = examples.filter(([, example]) => !/[0-9a-f]{8}-[0-9a-f]{4}-/.test(JSON.stringify(example)));
  if (plain.length > 0) content['examples'] = Object.fromEntries(plain);
}

function resolved(parameter: JsonObject, shared: JsonObject): JsonObject {
  const reference = parameter['$ref'];
  return typeof reference === 'string'
    ? structuredClone(toObject(shared[reference.split('/').at(-1) ?? '']))
    : parameter;
}

/**
 * Returns a parameter with an example if it is required and has none (the path of a file), because Dredd would send no
 * request.
 */
function withNeeded(parameter: JsonObject): JsonObject {
  return parameter['required'] === true && parameter['example'] === undefined
    ? { ...parameter, example: 'invoice.pdf' }
    : parameter;
}

/**
 * Returns a path parameter with an example: a placeholder for an id, or a number for an integer, which is the number of
 * a message. With `isSpare`, the example belongs to the records for deletion. Message 1 is in the session for reading,
 * message 2 in the session for deletion.
 */
function withExample(parameter: JsonObject, isSpare: boolean): JsonObject {
  const isNumber = toObject(parameter['schema'])['type'] === 'integer';
  const example = isNumber ? Number(isSpare) + 1 : placeholder(toText(parameter['name']), isSpare);
  return { ...parameter, example, schema: { ...toObject(parameter['schema']), example } };
}

const names = ['profile_id', 'workspace_id', 'session_id', 'task_id', 'run_id', 'id', 'file_id'];

function placeholder(name: string, isSpare: boolean): string {
  return `0e5ca1ab-000${isSpare ? 2 : 1}-4000-8000-00000000000${names.indexOf(name)}`;
}
