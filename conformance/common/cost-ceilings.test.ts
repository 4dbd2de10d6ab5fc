import { expect, it } from 'vitest';
import type { Exchange } from '../core/exchange.ts';
import { beyondCeiling } from './cost-ceilings.ts';
import type { Observation } from './observed-session.ts';

const request = { method: 'GET', url: 'http://127.0.0.1:1', headers: {} };
const sent = { index: 0, generation: 'v3', operation: 'x', sentBy: 'test', atMs: 0, durationMs: 0, request } as const;
const exchange: Exchange = { ...sent, status: 200, headers: {}, body: '', json: {} };

/**
 * Creates fetched records of a session with a cost ceiling of 1 US dollar: one for each pair of a step count and a
 * model cost.
 */
function fetches(...seen: readonly (readonly [stepCount: number, costUsd: number])[]): Observation[] {
  return seen.map(([stepCount, costUsd]) => ({
    exchange,
    record: { stepCount, llmCostUsd: String(costUsd), maxCostUsd: '1' },
  }));
}

it.each([
  ['of one further step', fetches([3, 0.3], [6, 0.6], [9, 0.9], [10, 1.5])],
  ['of one charge for many steps', fetches([10, 0.48], [20, 0.96], [30, 1.44])],
  ['that is known from the end alone', fetches([20, 2])],
  ['of steps that cost little', fetches([30, 0.6], [40, 0.8], [50, 1], [60, 1.2])],
])('accepts costs above the ceiling %s', (_, seen) => {
  expect(beyondCeiling(seen)).toBeUndefined();
});

it('finds the first fetch whose costs are several steps above the ceiling', () => {
  const beyond = beyondCeiling(fetches([3, 0.3], [6, 0.6], [12, 1.2], [15, 1.5], [17, 1.7], [18, 1.8]));
  expect(beyond?.record['stepCount']).toBe(17);
});

it.each([
  [
    'after its end',
    [
      [7, 1.57],
      [10, 2.2],
    ],
    true,
  ],
  [
    'of two steps after the fetch that reached it',
    [
      [7, 1.57],
      [9, 2.2],
    ],
    false,
  ],
  [
    'below twice the ceiling',
    [
      [7, 1.57],
      [10, 1.9],
    ],
    false,
  ],
] as const)('finds a total cost above the ceiling %s: %j is %j', (_, steps, isFound) => {
  const seen = steps.map(([stepCount, costUsd]) => ({
    exchange,
    record: { status: 'stopped', stepCount, totalCostUsd: String(costUsd), maxCostUsd: '1' },
  }));
  expect(beyondCeiling(seen) !== undefined).toBe(isFound);
});
