import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';
import { expectObject } from './parse.ts';

/** All rows and laws of spec/requirements in file order, each with its area; throws on an id that is written twice. */
export function requirementTable(files: ReadonlyMap<string, JsonObject>): JsonObject[] {
  const rows = [...files.values()].flatMap((file) =>
    [...list(file['requirements']), ...list(file['laws'])].map((row) => ({ area: file['area'] ?? '', ...row })),
  );
  const seen = new Set<JsonValue>();
  for (const row of rows) {
    const id = expectObject(row, 'requirement')['id'] ?? '';
    if (seen.has(id)) throw new Error(`spec/requirements: found ${JSON.stringify(id)} twice, expected every id once`);
    seen.add(id);
  }
  return rows;
}

function list(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
