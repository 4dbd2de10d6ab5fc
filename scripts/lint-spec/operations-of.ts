import { type JsonObject, isJsonObject } from '#domain/json.ts';
import { expectObject } from '../generate/parse.ts';

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
  return Object.entries(expectObject(document['paths'], 'paths')).flatMap(([path, item]) =>
    Object.entries(expectObject(item, path)).flatMap(([method, operation]) =>
      methods.includes(method) && isJsonObject(operation) ? [{ method, path, operation }] : [],
    ),
  );
}
