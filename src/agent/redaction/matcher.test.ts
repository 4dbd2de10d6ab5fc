import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Pattern, createMatcher, getUnits } from './matcher.ts';

type Hit = readonly [pattern: number, start: number, end: number];

function hits(patterns: readonly Pattern[], text: string): Hit[] {
  const found: Hit[] = [];
  createMatcher(patterns).search(
    getUnits(text),
    (...hit) => found.push(hit),
    () => true,
  );
  return found;
}

/** Returns the hits that a matcher must report. Compares every pattern at every position. */
function naiveHits(patterns: readonly Pattern[], text: string): Hit[] {
  const isFirst = ({ text: one, isBound }: Pattern, index: number): boolean =>
    patterns.findIndex((other) => other.text === one && other.isBound === isBound) === index;
  return Array.from({ length: text.length }, (_, at) => at + 1).flatMap((end) => {
    const ending = patterns
      .map((pattern, index) => ({ pattern, index }))
      .filter(({ pattern, index }) => pattern.text !== '' && isFirst(pattern, index))
      .filter(({ pattern }) => text.slice(0, end).endsWith(pattern.text))
      .toSorted((one, other) => other.pattern.text.length - one.pattern.text.length);
    const free = ending.filter(({ pattern }) => !pattern.isBound).slice(0, 1);
    const bound = ending.filter(({ pattern }) => pattern.isBound);
    return [...free, ...bound].map(({ pattern, index }): Hit => [index, end - pattern.text.length, end]);
  });
}

describe('a matcher', () => {
  it('reports the same occurrences as a search for each pattern at each place', () => {
    // Few letters, so that patterns overlap, repeat and contain each other.
    const word = (maxLength: number) => fc.string({ unit: fc.constantFrom('a', 'b', 'é', '\u{1F600}'), maxLength });
    const patterns = fc.array(fc.record({ text: word(5), isBound: fc.boolean() }), { maxLength: 12 });
    fc.assert(
      fc.property(patterns, word(40), (given, text) => {
        expect(hits(given, text)).toEqual(naiveHits(given, text));
      }),
      { numRuns: 1_000 },
    );
  });

  it('reports nothing without patterns, and nothing for an empty one', () => {
    expect(hits([], 'abc')).toEqual([]);
    expect(hits([{ text: '', isBound: false }], 'abc')).toEqual([]);
  });

  it('reports at most one free pattern for each end, however many are nested', () => {
    const patterns = Array.from({ length: 100 }, (_, index) => ({ text: 'a'.repeat(index + 1), isBound: false }));
    expect(hits(patterns, 'a'.repeat(10_000))).toHaveLength(10_000);
  });
});
