import { mock } from '#generated/rules.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';
import { schemaInstance } from '#contract/schema-instance.ts';

/** A schema that a record was created with, and the output that the record shows. */
export interface Structured {
  readonly schema: JsonObject;
  /** Undefined where no value is known to conform: the task misses its goal. */
  readonly output: JsonValue | undefined;
}

/** The output schemas of the latest records, by record id. */
export interface SchemaMemory {
  /** The schema that the latest task of a record asked for; undefined for none. */
  get(id: string): Structured | undefined;
  /** Tells whether a record with a schema had this id. */
  has(id: string): boolean;
  /** Notes the schema of the latest task of a record; null for a task without one. */
  set(id: string, schema: JsonObject | null): void;
}

/** Creates a memory of at most `stateless.schemasMax` records; the oldest is forgotten first. */
export function createSchemaMemory(): SchemaMemory {
  const kept = new Map<string, Structured | undefined>();
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

/** Returns the output schema that a body asks for; null for none. In V2 it is the text of JSON. */
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
