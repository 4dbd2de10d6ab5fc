import { type JsonObject, isJsonObject } from '#lib/json.ts';

const methods = ['get', 'put', 'post', 'patch', 'delete', 'head', 'options', 'trace'];

/** One operation of a document and where it stands. */
export interface FoundOperation {
  /** Lower case. */
  readonly method: string;
  readonly path: string;
  readonly operation: JsonObject;
}

/** Every operation of a document, in document order. */
export function operationsOf(document: JsonObject): FoundOperation[] {
  const paths = isJsonObject(document['paths']) ? document['paths'] : {};
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(isJsonObject(item) ? item : {}).flatMap(([method, operation]) =>
      methods.includes(method) && isJsonObject(operation) ? [{ method, path, operation }] : [],
    ),
  );
}
