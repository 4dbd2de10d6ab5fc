import { describe, expect, it } from 'vitest';
import { isNative } from './models.ts';

type Route = 'direct' | 'cloud';
const none: readonly [string, Route][] = [];
const others: readonly [string, Route][] = [['anthropic', 'direct']];
const direct: readonly [string, Route][] = [['openai', 'direct']];
const cloud: readonly [string, Route][] = [['openai', 'cloud']];

describe('isNative', () => {
  it.each([
    { availability: 'native', served: [none, others, direct, cloud], refused: [] },
    { availability: 'direct-or-cloud', served: [direct, cloud], refused: [none, others] },
    { availability: 'cloud', served: [cloud], refused: [none, others, direct] },
    { availability: 'own-key', served: [], refused: [none, others, direct, cloud] },
  ])('serves a model with availability $availability', ({ availability, served, refused }) => {
    const row = { name: 'm', provider: 'openai', availability };
    expect(served.filter((routes) => !isNative(row, new Map(routes)))).toEqual([]);
    expect(refused.filter((routes) => isNative(row, new Map(routes)))).toEqual([]);
  });
});
