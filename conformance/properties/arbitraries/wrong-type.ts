import * as fc from 'fast-check';
import type { JsonValue } from '../../core/json.ts';

/** What a member takes; `word` is a member of a closed list of texts. */
export type MemberType = 'string' | 'boolean' | 'object' | 'word';

/**
 * A value of a type that the member does not take. Values that a tolerant parser could read are left out: a number or a
 * boolean for a string, 0 and 1 for a boolean, a list of one for its only item, and null, which many parsers take for an
 * absent member. The contract does not forbid such tolerance, and what is read would be dispatched. A closed list has none of them in
 * any reading but null.
 */
export function wrongType(type: MemberType): fc.Arbitrary<JsonValue> {
  const list = fc.array(fc.integer(), { minLength: 2, maxLength: 3 });
  const object = fc.constant<JsonValue>({ unexpected: 'value' });
  const text = fc.constantFrom('', 'perhaps', 'svc-text', 'neither');
  const number = fc.integer({ min: 2, max: 1_000_000 });
  const values: Record<MemberType, fc.Arbitrary<JsonValue>> = {
    string: fc.oneof(list, object),
    boolean: fc.oneof(number, text, list, object),
    object: fc.oneof(number, text, list, fc.constant(true)),
    word: fc.oneof(number, fc.boolean(), list, object),
  };
  return values[type];
}
