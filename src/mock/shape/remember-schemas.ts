import { mock } from '#generated/rules.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';
import { schemaInstance } from '#contract/schema-instance.ts';

/** The output schema of a record, with the output that the mock shows for it. */
export interface StructuredOutput {
  readonly schema: JsonObject;
  /** The output; undefined when the mock found no conforming value, and the task fails. */
  readonly output: JsonValue | undefined;
}

/** The output schemas of the latest records, by record id. Holds a limited number of records. */
export interface SchemaMemory {
  /** Returns the schema and the output of a record's latest task; undefined without a schema. */
  get(id: string): StructuredOutput | undefined;
  /** Returns whether a record with this id is stored: at least one of its tasks had a schema. */
  has(id: string): boolean;
  /** Stores the schema of a record's latest task; null for a task without a schema. */
  set(id: string, schema: JsonObject | null): void;
}

/**
 * Creates an empty store for the output schemas of at most `stateless.schemasMax` records. The oldest record is
 * removed first.
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
 * Returns the output schema in a request body. In V2 the schema is a JSON text. Null without a schema, and for an
 * invalid or too long text.
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
