import v2 from '#generated/openapi/v2.json' with { type: 'json' };
import v3 from '#generated/openapi/v3.json' with { type: 'json' };
import v4 from '#generated/openapi/v4.json' with { type: 'json' };
import { type JsonObject, isJsonObject } from '#lib/json.ts';

/** The bundled documents by generation; fresh copies, because Prism writes into what it is given. */
export function loadDocuments(): Readonly<Record<'v2' | 'v3' | 'v4', JsonObject>> {
  return { v2: copy(v2), v3: copy(v3), v4: copy(v4) };
}

function copy(document: object): JsonObject {
  const value: unknown = structuredClone(document);
  if (isJsonObject(value)) return value;
  throw new Error('generated/openapi: expected an object');
}
