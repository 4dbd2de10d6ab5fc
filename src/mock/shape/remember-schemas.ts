import { mock } from '#generated/rules.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';
import { schemaInstance } from '#contract/schema-instance.ts';

/** The output schema of a record, and the output that the mock returns for the record. */
export interface StructuredOutput {
  readonly schema: JsonObject;
  /** Output that conforms to the schema; undefined if the mock found none. The task has then failed. */
  readonly output: JsonValue | undefined;
}

/** Store of output schemas by the id of a session, task or run. Holds a limited number of the latest records. */
export interface SchemaMemory {
  /** Returns the schema and the output for the latest task of a record; undefined if that task has no schema. */
  get(id: string): StructuredOutput | undefined;
  /** Returns whether a record with this id is stored, because one of its tasks had a schema. */
  has(id: string): boolean;
  /** Stores the output schema for the latest task of a record; null if that task has none. */
  set(id: string, schema: JsonObject | null): void;
}

/**
 * Creates an empty store of the output schemas of at most `stateless.schemasMax` records. A further record replaces the
 * oldest.
 */
export function createSchemaMemory(): SchemaMemory {
  const kept = new Map<string, StructuredOutput | undefined>();
  return {
    get: (id) => kept.get(id),
    has: (id) => kept.has(id),
    set(id, schema) {
      if (schema === null && !kept.has(id)) return;
      kept.delete(id);
      kept.set(
        id,
        schema === null ? undefined : { schema, output: isSmall(schema) ? schemaInstance(schema) : undefined },
      );
      const [oldest] = kept.keys();
      if (kept.size > mock.stateless.schemasMax && oldest !== undefined) kept.delete(oldest);
    },
  };
}

function isSmall(schema: JsonObject): boolean {
  return JSON.stringify(schema).length <= mock.stateless.schemaBytesMax;
}

/**
 * Returns the output schema of a request body; in V2 this is a JSON text. Returns null if the body has none, or if the
 * text is invalid or too long.
 */
export function schemaIn(body: JsonValue | undefined): JsonObject | null {
  if (!isJsonObject(body)) return null;
  const { outputSchema, structuredOutput } = body;
  if (isJsonObject(outputSchema)) return outputSchema;
  return typeof structuredOutput === 'string' ? parsedSchema(structuredOutput) : null;
}

function parsedSchema(text: string): JsonObject | null {
  if (text.length > mock.stateless.schemaBytesMax) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
