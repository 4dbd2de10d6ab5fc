import { describe, expect, it } from 'vitest';
import { createRandom, randomUuid, sample } from './random.ts';

const items = Array.from({ length: 50 }, (_, index) => index);

describe('drawing', () => {
  it('draws the same for one seed and something else for another', () => {
    expect(sample(items, 10, 1)).toEqual(sample(items, 10, 1));
    expect(sample(items, 10, 1)).not.toEqual(sample(items, 10, 2));
  });

  it('keeps the order of the list and draws nothing twice', () => {
    const drawn = sample(items, 20, 7);
    expect(drawn).toEqual([...new Set(drawn)].toSorted((left, right) => left - right));
    expect(drawn).toHaveLength(20);
  });

  it('makes uuids of version 4', () => {
    expect(randomUuid(createRandom(3))).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
  });
});
