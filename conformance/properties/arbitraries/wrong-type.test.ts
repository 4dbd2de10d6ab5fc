import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type MemberType, wrongType } from './wrong-type.ts';

describe('a value of a wrong type', () => {
  it.each<[MemberType, readonly string[]]>([
    ['string', ['object']],
    ['boolean', ['object', 'string']],
    ['object', ['object', 'number']],
  ])('is nothing that a tolerant reader turns into a %s', (type, kinds) => {
    for (const value of fc.sample(wrongType(type), { numRuns: 200, seed: 1 })) {
      expect(kinds).toContain(typeof value);
      if (Array.isArray(value)) expect(value.length).toBeGreaterThan(1);
      if (type === 'object' && typeof value === 'object') expect(Array.isArray(value)).toBe(true);
      expect(value).not.toBeNull();
    }
  });
});
