import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';
import { type Change, type Place, below, changeAt } from './change.ts';
import { compareBodies } from './compare-bodies.ts';
import { compareParameters } from './compare-parameters.ts';
import { compareResponses } from './compare-responses.ts';
import type { Pair } from './pair.ts';

const methods = ['get', 'put', 'post', 'patch', 'delete', 'head', 'options', 'trace'];

/** One operation with what its path and document add to it. */
interface Operation {
  readonly operation: JsonObject;
  /** As the document writes it: `/sessions/{session_id}`. */
  readonly path: string;
  readonly parameters: readonly JsonObject[];
  readonly security: JsonValue;
}

/**
 * Every difference between two dereferenced OpenAPI 3.1 documents that a client could notice, in the order of the old
 * document. Path parameters may be renamed: addresses stay the same.
 */
export function compareDocuments(pair: Pair<JsonObject>, prefix = ''): Change[] {
  const old = operationsOf(pair.old);
  const fresh = operationsOf(pair.new);
  return [...new Set([...old.keys(), ...fresh.keys()])].flatMap((key) => {
    const [before, after] = [old.get(key), fresh.get(key)];
    const place: Place = { direction: 'request', where: `${prefix}${nameOf(key, before ?? after)}` };
    if (before === undefined) return [changeAt(place, 'operationAdded')];
    if (after === undefined) return [changeAt(place, 'operationRemoved')];
    return compareOperations({ old: before, new: after }, place);
  });
}

function compareOperations(pair: Pair<Operation>, place: Place): Change[] {
  const { old, new: fresh } = pair;
  const answers: Place = { direction: 'response', where: `${place.where} response` };
  return [
    ...compareFacts(pair, place),
    ...compareParameters({ old: old.parameters, new: fresh.parameters }, place),
    ...compareBodies(
      { old: old.operation['requestBody'], new: fresh.operation['requestBody'] },
      below(place, ' request'),
    ),
    ...compareResponses({ old: old.operation['responses'], new: fresh.operation['responses'] }, answers),
  ];
}

function compareFacts({ old, new: fresh }: Pair<Operation>, place: Place): Change[] {
  const [id, newId] = [old.operation['operationId'], fresh.operation['operationId']].map((found) =>
    JSON.stringify(found),
  );
  const sameSecurity = JSON.stringify(old.security) === JSON.stringify(fresh.security);
  return [
    ...(id === newId ? [] : [changeAt(place, 'operationRenamed', `(${id} -> ${newId})`)]),
    ...(sameSecurity ? [] : [changeAt(place, 'securityChanged')]),
    ...(old.operation['deprecated'] !== true && fresh.operation['deprecated'] === true
      ? [changeAt(place, 'operationDeprecated')]
      : []),
  ];
}

/** By method and path with the names of its parameters left out. */
function operationsOf(document: JsonObject): ReadonlyMap<string, Operation> {
  const found = new Map<string, Operation>();
  for (const [path, item] of Object.entries(isJsonObject(document['paths']) ? document['paths'] : {})) {
    if (!isJsonObject(item)) continue;
    for (const method of methods) {
      const operation = item[method];
      if (!isJsonObject(operation)) continue;
      const parameters = [...listOf(item['parameters']), ...listOf(operation['parameters'])];
      found.set(`${method.toUpperCase()} ${path.replaceAll(/\{[^{}]*\}/g, '{}')}`, {
        operation,
        path,
        parameters: parameters.filter((parameter) => parameter['in'] !== 'path'),
        security: securityOf(document, operation),
      });
    }
  }
  return found;
}

/** The requirements with the schemes that they name, so that a change of either is one. */
function securityOf(document: JsonObject, operation: JsonObject): JsonValue {
  const components = isJsonObject(document['components']) ? document['components'] : {};
  const schemes = isJsonObject(components['securitySchemes']) ? components['securitySchemes'] : {};
  return listOf(operation['security'] ?? document['security']).flatMap((requirement) =>
    Object.entries(requirement).map(([name, scopes]) => {
      const scheme = schemes[name];
      const {
        type = null,
        in: place = null,
        name: header = null,
        scheme: kind = null,
      } = isJsonObject(scheme) ? scheme : {};
      return [type, place, header, kind, scopes];
    }),
  );
}

function nameOf(key: string, operation: Operation | undefined): string {
  return operation === undefined ? key : `${key.split(' ')[0] ?? ''} ${operation.path}`;
}

function listOf(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
