import { expect, it } from 'vitest';
import { defaultTarget } from '../core/default-target.ts';
import type { Target } from '../core/target.ts';
import { costBound } from './cost-bound.ts';

const { v3, v4 } = defaultTarget;
if (v3 === null || v4 === null) throw new Error('the default target has V3 and V4');
const prices = { ...defaultTarget.prices, taskV3: '0.02', taskV4: '0.03' };
const withCeilings: Target = {
  ...defaultTarget,
  url: 'http://127.0.0.1:1',
  prices,
  limits: { ...defaultTarget.limits, ceilingUsd: '0.05' },
};
const withoutCeilings: Target = {
  ...withCeilings,
  v3: { ...v3, members: { ...v3.members, maxCostUsd: null } },
  v4: { ...v4, maxCostUsd: null },
};

it.each([
  { kind: 'session', priced: '0.02' },
  { kind: 'run', priced: '0.03' },
] as const)('a $kind costs at most its ceiling; where none can be sent, the price of the target file', (row) => {
  expect(costBound(withCeilings, row.kind)).toBe('0.05');
  expect(costBound(withoutCeilings, row.kind)).toBe(row.priced);
  expect(costBound({ ...withoutCeilings, prices: defaultTarget.prices }, row.kind)).toBe('0.05');
});
