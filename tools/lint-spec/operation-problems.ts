import type { JsonObject } from '#lib/json.ts';
import { operationsOf } from '../../src/cli/spec/documents.ts';

/** Verbs that an operationId may begin with, by method. */
const verbs: Readonly<Record<string, readonly string[]>> = {
  get: ['get', 'list', 'download'],
  post: ['create', 'stop', 'start', 'send', 'upload', 'cancel', 'purge'],
  put: ['replace', 'upload'],
  patch: ['update', 'stop'],
  delete: ['delete', 'revoke'],
};

/** Every operationId is a verb that suits its method and a noun in camel case: `createSession`. */
export function operationProblems(document: JsonObject): string[] {
  return operationsOf(document).flatMap(({ method, path, operation }) => {
    const id = typeof operation['operationId'] === 'string' ? operation['operationId'] : '';
    const allowed = verbs[method] ?? [];
    if (allowed.some((verb) => new RegExp(`^${verb}([A-Z][a-z0-9]*)+$`).test(id))) return [];
    return [
      `${method} ${path}: found the operationId ${id}, expected ${allowed.join('|') || 'no such method'} and a noun, for example ${allowed[0] ?? 'get'}Session`,
    ];
  });
}
