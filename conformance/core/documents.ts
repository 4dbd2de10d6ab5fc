import { readFileSync } from 'node:fs';
import { type JsonObject, isJsonObject, parseJson, toText } from './json.ts';
import { type Generation, generations } from './target.ts';

/** One operation of a document, and its location in the document. */
export interface DocumentOperation {
  generation: Generation;
  id: string;
  method: string;
  path: string;
  operation: JsonObject;
}

/**
 * Returns the documents, one per generation: complete (`openapi`), or reduced to the facts of the contract
 * (`contract`).
 */
export function readDocuments(view: 'openapi' | 'contract'): Record<Generation, JsonObject> {
  return { v2: read(`${view}/v2.json`), v3: read(`${view}/v3.json`), v4: read(`${view}/v4.json`) };
}

/** Returns every operation of the documents. */
export function documentOperations(documents: Record<Generation, JsonObject>): DocumentOperation[] {
  return generations.flatMap((generation) =>
    objects(documents[generation]['paths']).flatMap(([path, methods]) =>
      objects(methods).map(([method, operation]) => ({
        generation,
        id: toText(operation['operationId']),
        method,
        path,
        operation,
      })),
    ),
  );
}

function read(file: string): JsonObject {
  const value = parseJson(readFileSync(new URL(`../../generated/${file}`, import.meta.url), 'utf8'));
  if (!isJsonObject(value)) throw new Error(`generated/${file}: expected a JSON object`);
  return value;
}

function objects(value: unknown): [string, JsonObject][] {
  if (!isJsonObject(value)) return [];
  return Object.entries(value).filter((entry): entry is [string, JsonObject] => isJsonObject(entry[1]));
}
