import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { latestEvery } from './latest-every.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('passes the first value on at once and the latest of each interval after it', () => {
  const got: number[] = [];
  const throttle = latestEvery<number>(100, (value) => got.push(value));
  for (const value of [1, 2, 3]) throttle.push(value);
  expect(got).toEqual([1]);
  vi.advanceTimersByTime(100);
  expect(got).toEqual([1, 3]);
  throttle.push(4);
  expect(got).toEqual([1, 3]);
  vi.advanceTimersByTime(100);
  expect(got).toEqual([1, 3, 4]);
  vi.advanceTimersByTime(100);
  throttle.push(5);
  expect(got).toEqual([1, 3, 4, 5]);
});

test('drops what waits when it is cancelled', () => {
  const got: number[] = [];
  const throttle = latestEvery<number>(100, (value) => got.push(value));
  throttle.push(1);
  throttle.push(2);
  throttle.cancel();
  vi.advanceTimersByTime(1_000);
  expect(got).toEqual([1]);
});
