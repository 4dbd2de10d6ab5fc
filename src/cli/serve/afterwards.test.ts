import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createAfterwards } from './start-serve.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('delays warm-up work until half a second after the service listens', async () => {
  await using owned = new AsyncDisposableStack();
  const afterwards = createAfterwards(owned);
  let hasBegun = false;
  void afterwards.begun.then(() => void (hasBegun = true));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(hasBegun).toBe(false);
  afterwards.listens();
  await vi.advanceTimersByTimeAsync(499);
  expect(hasBegun).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(hasBegun).toBe(true);
});

it('begins no warm-up work after the end of the service', async () => {
  const owned = new AsyncDisposableStack();
  createAfterwards(owned).listens();
  await owned.disposeAsync();
  expect(vi.getTimerCount()).toBe(0);
});
