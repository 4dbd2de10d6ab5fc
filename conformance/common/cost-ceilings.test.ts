import { expect, it } from 'vitest';
import type { Exchange } from '../core/exchange.ts';
import { stepsBeyondCeiling } from './cost-ceilings.ts';
import type { Observation } from './observed-session.ts';

const request = { method: 'GET', url: 'http://127.0.0.1:1', headers: {} };
const sent = { index: 0, generation: 'v3', operation: 'x', sentBy: 'test', atMs: 0, durationMs: 0, request } as const;
const exchange: Exchange = { ...sent, status: 200, headers: {}, body: '', json: {} };

/** Creates fetches of a session with a ceiling of 1 US dollar from its step counts and model costs. */
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
  expect(stepsBeyondCeiling(seen)).toBeUndefined();
});

it('finds the first fetch whose costs are several steps above the ceiling', () => {
  const beyond = stepsBeyondCeiling(fetches([3, 0.3], [6, 0.6], [12, 1.2], [15, 1.5], [17, 1.7], [18, 1.8]));
  expect(beyond?.record['stepCount']).toBe(17);
});
