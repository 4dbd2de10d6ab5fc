import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type MemberType, wrongType } from './invalid-values.ts';

describe('a value of a wrong type', () => {
  it.each<[MemberType, readonly string[]]>([
    ['string', ['object']],
    ['boolean', ['object', 'string', 'number']],
    ['object', ['object', 'number', 'string', 'boolean']],
    ['word', ['object', 'number', 'boolean']],
  ])('is nothing that a tolerant parser turns into a %s', (type, kinds) => {
    for (const value of fc.sample(wrongType(type), { numRuns: 200, seed: 1 })) {
      expect(kinds).toContain(typeof value);
      if (Array.isArray(value)) expect(value.length).toBeGreaterThan(1);
      if (type === 'object' && typeof value === 'object') expect(Array.isArray(value)).toBe(true);
      if (type === 'boolean') expect([0, 1]).not.toContain(value);
      expect(value).not.toBeNull();
    }
  });
});
