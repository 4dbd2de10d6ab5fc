import * as fc from 'fast-check';

/**
 * Generates text that no tolerant parser reads as a UUID: a UUID with an invalid digit, a wrong length, a number, a
 * word. Safe in a path.
 */
export function malformedUuid(): fc.Arbitrary<string> {
  const foreign = fc.constantFrom('g', 'k', 'q', 'x', 'z');
  return fc.oneof(
    fc.constant('not-a-uuid'),
    fc.tuple(fc.uuid(), foreign).map(([uuid, letter]) => letter + uuid.slice(1)),
    fc.tuple(fc.uuid(), fc.integer({ min: 1, max: 12 })).map(([uuid, count]) => uuid.slice(0, -count)),
    fc.tuple(fc.uuid(), fc.constantFrom('0', 'f', '-1')).map(([uuid, tail]) => uuid + tail),
    fc.integer({ min: 1, max: 999_999 }).map(String),
  );
}
