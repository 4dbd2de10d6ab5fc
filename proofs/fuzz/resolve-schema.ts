import { readDocuments } from '../../conformance/core/documents.ts';
import { type JsonObject, isJsonObject } from '../../conformance/core/json.ts';
import { valueAt } from '../../conformance/core/schemas.ts';
import type { Generation } from '../../conformance/core/target.ts';

/** The documents that requests are drawn from; read once, because they never change. */
export const documents = readDocuments('openapi');

/** What a schema or a parameter refers to, with what stands beside the reference; itself where it refers to nothing. */
export function resolveSchema(generation: Generation, schema: JsonObject): JsonObject {
  const { $ref: reference, ...beside } = schema;
  if (typeof reference !== 'string') return schema;
  const found = valueAt(documents[generation], reference.replace('#/', '').split('/'));
  return isJsonObject(found) ? resolveSchema(generation, { ...found, ...beside }) : beside;
}
