import type { JsonObject, JsonValue } from '#domain/json.ts';
import { bounded, timedOut } from './bounded.ts';
import { checkSchemaBounds } from './check-schema-bounds.ts';
import { compileSchema } from './compile-schema.ts';

/** Faults take memory: of one value there can be as many as it has parts, times as many as the schema has. */
const CHARACTERS_FOR_ALL = 4_000_000;

/**
 * What is wrong with a value, in words; [] when it conforms. All faults of a small value by a small schema, else the first.
 * Blocks for about a second of computing: it belongs into a worker.
 */
export function judgeValue(schema: JsonObject, valueText: string): readonly string[] {
  const outOfBounds = checkSchemaBounds(schema);
  if (outOfBounds !== null) return [outOfBounds];
  const value: JsonValue = JSON.parse(valueText);
  const all = JSON.stringify(schema).length * valueText.length <= CHARACTERS_FOR_ALL;
  const errors = bounded(() => {
    const judge = compileSchema(schema, { all });
    return typeof judge === 'string' ? [judge] : judge(value);
  });
  return errors === timedOut ? ['the output takes too long to check against the output schema'] : errors;
}
