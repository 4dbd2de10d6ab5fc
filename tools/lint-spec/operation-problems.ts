import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';
import { listOperations } from '../../src/cli/spec/documents.ts';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Version, versions } from '../generate/bundle.ts';
import { parseJsonObject } from '../generate/parse.ts';

/** Verbs with which an operationId may begin, by the method of its operation. */
const verbs: Readonly<Record<string, readonly string[]>> = {
  get: ['get', 'list', 'download'],
  post: ['create', 'stop', 'start', 'send', 'upload', 'cancel', 'purge'],
  put: ['replace', 'upload'],
  patch: ['update', 'stop'],
  delete: ['delete', 'revoke'],
};

/**
 * Returns a problem for each operationId that is not a verb for its method followed by a noun in camel case, such as
 * `createSession`.
 */
export function operationProblems(document: JsonObject): string[] {
  return listOperations(document).flatMap(({ method, path, operation }) => {
    const id = typeof operation['operationId'] === 'string' ? operation['operationId'] : '';
    const allowed = verbs[method] ?? [];
    if (allowed.some((verb) => new RegExp(`^${verb}([A-Z][a-z0-9]*)+$`).test(id))) return [];
    return [
      `${method} ${path}: found the operationId ${id}, expected ${allowed.join('|') || 'no such method'} and a noun, for example ${allowed[0] ?? 'get'}Session`,
    ];
  });
}

/**
 * Returns a problem for each schema file whose name is not in Pascal case. The bundler names the component after the
 * file.
 */
export function fileNameProblems(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => basename(dirname(file)) === 'schemas')
    .filter((file) => !/^([A-Z]+[a-z0-9]*)+\.yaml$/.test(basename(file)))
    .map(
      (file) =>
        `${join(root, file)}: expected a name in Pascal case that ends in .yaml, for example CreateSession.yaml`,
    );
}

/** Keywords that define the members of an object. */
const shapes = ['properties', 'additionalProperties', 'patternProperties', 'allOf', 'anyOf', 'oneOf', '$ref'];

/** Members whose values are data and no schemas. */
const data = ['example', 'examples', 'default', 'enum', 'const', 'links'];

/**
 * Returns a problem for each object schema that does not state which members it may have. Client generators treat such
 * a schema as an object without members.
 */
export function objectProblems(document: JsonObject): string[] {
  return visit(document, '#').map(
    (pointer) =>
      `${pointer}: found an object without members, expected properties, a reference, or what else it may hold. Add ` +
      '"additionalProperties: true" when it may hold anything',
  );
}

function visit(node: JsonValue, pointer: string): string[] {
  if (Array.isArray(node)) return node.flatMap((member, index) => visit(member, `${pointer}/${index}`));
  if (!isJsonObject(node)) return [];
  const { type } = node;
  const isObject = type === 'object' || (Array.isArray(type) && type.includes('object'));
  const here = isObject && !shapes.some((keyword) => keyword in node) ? [pointer] : [];
  const below = Object.entries(node).flatMap(([name, member]) =>
    data.includes(name) ? [] : visit(member, `${pointer}/${name}`),
  );
  return [...here, ...below];
}

/** Returns the documents of generated/openapi by generation. */
export function loadBundles(): ReadonlyMap<Version, JsonObject> {
  return new Map(
    versions.map((version) => {
      const file = bundleFile(version);
      return [version, parseJsonObject(readFileSync(file, 'utf8'), file)];
    }),
  );
}

/** Returns the path of a generation's bundled document. */
export function bundleFile(version: Version): string {
  return `generated/openapi/${version}.json`;
}
