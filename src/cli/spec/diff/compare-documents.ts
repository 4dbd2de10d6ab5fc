/*
 * `svc spec diff`: compares two OpenAPI documents and reports breaking changes. `change-kinds.ts` holds the
 * classification as data; `compare-*.ts` find changes with direction and location. Wording and order are ignored. The
 * comparison reads only its inputs: no git, no network, no tables of spec/rules.
 */

import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts';
import { below, type Change, changeAt, type Pair, type Place } from './change.ts';
import { compareSchemas } from './compare-schemas.ts';

export { type Change, judge } from './change.ts';
export { loadDocuments, notComparable } from './load-documents.ts';

const methods = ['get', 'put', 'post', 'patch', 'delete', 'head', 'options', 'trace'];

/** An operation with the parameters and security requirements of its path and document. */
interface Operation {
  readonly operation: JsonObject;
  /** Path as in the document: `/sessions/{session_id}`. */
  readonly path: string;
  readonly parameters: readonly JsonObject[];
  /** Alternative security requirements with their schemes, as JSON in sorted order: their order means nothing. */
  readonly security: readonly string[];
}

/**
 * Returns all differences between two dereferenced OpenAPI 3.1 documents that a client could notice, in the order of
 * the old document. Renamed path parameters do not change URLs and are ignored.
 */
export function compareDocuments(pair: Pair<JsonObject>, prefix = ''): Change[] {
  const old = indexOperations(pair.old);
  const fresh = indexOperations(pair.new);
  return [...new Set([...old.keys(), ...fresh.keys()])].flatMap((key) => {
    const [before, after] = [old.get(key), fresh.get(key)];
    const place: Place = { direction: 'request', where: `${prefix}${operationName(key, before ?? after)}` };
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
  const sameSecurity = old.security.join() === fresh.security.join();
  return [
    ...(id === newId ? [] : [changeAt(place, 'operationRenamed', `(${id} -> ${newId})`)]),
    ...(sameSecurity ? [] : [changeAt(place, 'securityChanged')]),
    ...(old.operation['deprecated'] !== true && fresh.operation['deprecated'] === true
      ? [changeAt(place, 'operationDeprecated')]
      : []),
  ];
}

/** Returns operations by method and path. In the keys, the names of path parameters are replaced by `{}`. */
function indexOperations(document: JsonObject): ReadonlyMap<string, Operation> {
  const found = new Map<string, Operation>();
  for (const [path, item] of Object.entries(isJsonObject(document['paths']) ? document['paths'] : {})) {
    if (!isJsonObject(item)) continue;
    for (const method of methods) {
      const operation = item[method];
      if (!isJsonObject(operation)) continue;
      const parameters = [...objectsIn(item['parameters']), ...objectsIn(operation['parameters'])];
      found.set(`${method.toUpperCase()} ${path.replaceAll(pathNames, '{}')}`, {
        operation,
        path,
        parameters: parameters.map((parameter) => numbered(parameter, path)),
        security: readSecurity(document, operation),
      });
    }
  }
  return found;
}

const pathNames = /\{([^{}]*)\}/g;

/** Returns a path parameter with its position in the path, from 1, as its name; any other parameter unchanged. */
function numbered(parameter: JsonObject, path: string): JsonObject {
  if (parameter['in'] !== 'path') return parameter;
  const names = Array.from(path.matchAll(pathNames), ([, name]) => name);
  return { ...parameter, in: 'path parameter', name: String(names.indexOf(textOrEmpty(parameter['name'])) + 1) };
}

/**
 * Returns the alternative security requirements of an operation with their schemes, so that a changed scheme counts as
 * a change too.
 */
function readSecurity(document: JsonObject, operation: JsonObject): string[] {
  const components = isJsonObject(document['components']) ? document['components'] : {};
  const schemes = isJsonObject(components['securitySchemes']) ? components['securitySchemes'] : {};
  const describe = ([name, scopes]: [string, JsonValue]): string => {
    const { [name]: scheme } = schemes;
    const { type = null, in: place = null, name: header = null, scheme: kind = null } = objectOrEmpty(scheme);
    return JSON.stringify([type, place, header, kind, (Array.isArray(scopes) ? scopes : []).map(String).toSorted()]);
  };
  return objectsIn(operation['security'] ?? document['security'])
    .map((requirement) => JSON.stringify(Object.entries(requirement).map(describe).toSorted()))
    .toSorted();
}

function operationName(key: string, operation: Operation | undefined): string {
  return operation === undefined ? key : `${key.split(' ')[0] ?? ''} ${operation.path}`;
}

function objectsIn(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** Compares the parameters of an operation. */
function compareParameters(pair: Pair<readonly JsonObject[]>, place: Place): Change[] {
  const old = byName(pair.old);
  const fresh = byName(pair.new);
  return [...new Set([...old.keys(), ...fresh.keys()])].flatMap((name) => {
    const here = below(place, ` ${name}`);
    const [before, after] = [old.get(name), fresh.get(name)];
    if (after === undefined) return [changeAt(here, 'parameterRemoved')];
    if (before === undefined) {
      return [changeAt(here, after['required'] === true ? 'requiredParameterAdded' : 'parameterAdded')];
    }
    return compareParameter({ old: before, new: after }, here);
  });
}

function compareParameter({ old, new: fresh }: Pair<JsonObject>, place: Place): Change[] {
  const [was, is] = [old['required'] === true, fresh['required'] === true];
  const [before, after] = [encoding(old), encoding(fresh)];
  return [
    ...(was === is ? [] : [changeAt(place, is ? 'parameterBecameRequired' : 'parameterBecameOptional')]),
    ...(before === after ? [] : [changeAt(place, 'parameterEncodingChanged', `(${before} -> ${after})`)]),
    ...(isJsonObject(old['content']) === isJsonObject(fresh['content'])
      ? [
          ...compareSchemas({ old: old['schema'], new: fresh['schema'] }, place),
          ...compareContent({ old: old['content'], new: fresh['content'] }, place),
        ]
      : []),
  ];
}

/** Returns how the values of a parameter are written in a request: its style, with explode if lists are split. */
function encoding({ in: place, style, explode, content }: JsonObject): string {
  if (isJsonObject(content)) return 'by media type';
  const named = textOrEmpty(style) || (place === 'query' || place === 'cookie' ? 'form' : 'simple');
  const splits = typeof explode === 'boolean' ? explode : named === 'form';
  return splits ? `${named} with explode` : named;
}

/** Returns parameters by location and name: `query page_size`. */
function byName(parameters: readonly JsonObject[]): ReadonlyMap<string, JsonObject> {
  return new Map(
    parameters.map((parameter) => [`${textOrEmpty(parameter['in'])} ${textOrEmpty(parameter['name'])}`, parameter]),
  );
}

function textOrEmpty(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Compares the responses of an operation by status. */
function compareResponses(pair: Pair<JsonValue | undefined>, place: Place): Change[] {
  const [old, fresh] = [objectOrEmpty(pair.old), objectOrEmpty(pair.new)];
  return [...new Set([...Object.keys(old), ...Object.keys(fresh)])].flatMap((status) => {
    const here = below(place, ` ${status}`);
    const [before, after] = [old[status], fresh[status]];
    const outcome = status.startsWith('2') ? 'success' : 'error';
    if (!isJsonObject(after)) return [changeAt(here, `${outcome}StatusRemoved`)];
    if (!isJsonObject(before)) return [changeAt(here, `${outcome}StatusAdded`)];
    return compareResponse({ old: before, new: after }, here);
  });
}

function compareResponse({ old, new: fresh }: Pair<JsonObject>, place: Place): Change[] {
  const [before, after] = [objectOrEmpty(old['content']), objectOrEmpty(fresh['content'])];
  const isRemoved = Object.keys(before).length > 0 && Object.keys(after).length === 0;
  return [
    ...compareHeaders({ old: objectOrEmpty(old['headers']), new: objectOrEmpty(fresh['headers']) }, place),
    ...(isRemoved ? [changeAt(place, 'bodyRemoved')] : compareContent({ old: before, new: after }, place)),
  ];
}

function compareHeaders({ old, new: fresh }: Pair<JsonObject>, place: Place): Change[] {
  return [...new Set([...Object.keys(old), ...Object.keys(fresh)])].flatMap((name) => {
    const here = below(place, ` header ${name}`);
    const [before, after] = [old[name], fresh[name]];
    if (!isJsonObject(after)) return [changeAt(here, 'headerRemoved')];
    if (!isJsonObject(before)) return [changeAt(here, 'headerAdded')];
    const [was, is] = [before['required'] === true, after['required'] === true];
    return [
      ...(was === is ? [] : [changeAt(here, is ? 'headerBecameRequired' : 'headerBecameOptional')]),
      ...compareSchemas({ old: before['schema'], new: after['schema'] }, here),
    ];
  });
}

function objectOrEmpty(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

type Body = JsonValue | undefined;

/** Compares request bodies. */
function compareBodies({ old, new: fresh }: Pair<Body>, place: Place): Change[] {
  if (!isJsonObject(old) && !isJsonObject(fresh)) return [];
  if (!isJsonObject(fresh)) return [changeAt(place, 'bodyRemoved')];
  const is = fresh['required'] === true;
  if (!isJsonObject(old)) return [changeAt(place, is ? 'requiredBodyAdded' : 'bodyAdded')];
  const was = old['required'] === true;
  return [
    ...(was === is ? [] : [changeAt(place, is ? 'bodyBecameRequired' : 'bodyBecameOptional')]),
    ...compareContent({ old: old['content'], new: fresh['content'] }, place),
  ];
}

/**
 * Compares request or response bodies by media type. Locations omit `application/json`, the media type of nearly all
 * bodies.
 */
function compareContent(pair: Pair<Body>, place: Place): Change[] {
  const [old, fresh] = [readContent(pair.old), readContent(pair.new)];
  return [...new Set([...Object.keys(old), ...Object.keys(fresh)])].flatMap((type) => {
    const [before, after] = [old[type], fresh[type]];
    if (!isJsonObject(after)) return [changeAt(place, 'mediaTypeRemoved', type)];
    if (!isJsonObject(before)) return [changeAt(place, 'mediaTypeAdded', type)];
    const here = type === 'application/json' ? place : below(place, ` (${type})`);
    return compareSchemas({ old: before['schema'], new: after['schema'] }, here);
  });
}

function readContent(content: Body): JsonObject {
  return isJsonObject(content) ? content : {};
}
