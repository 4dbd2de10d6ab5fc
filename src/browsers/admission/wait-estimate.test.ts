import { expect, test } from 'vitest';
import { createWaitEstimate } from './wait-estimate.ts';

test('a line takes as long as the latest starts took, and never less than a second or more than a minute', () => {
  let now = 0;
  const estimate = createWaitEstimate(2, () => now);
  expect([estimate.forLine(0), estimate.forLine(9)]).toEqual([1_000, 5_000]);
  for (let start = 0; start < 50; start += 1) {
    const stop = estimate.start();
    now += 4_000;
    stop();
  }
  expect(estimate.forLine(9)).toBeCloseTo(20_000, -1);
  expect(estimate.forLine(1_000)).toBe(60_000);
});
