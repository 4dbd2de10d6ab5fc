import type { JsonObject } from '#lib/json.ts';

/** The system prompt of a request whose output schema the provider cannot be given in its own way. */
export function toldSchema(system: string, schema: JsonObject | null): string {
  if (schema === null) return system;
  return `${system}\n\nReply with nothing but a JSON value that conforms to this JSON Schema:\n${JSON.stringify(schema)}`;
}
