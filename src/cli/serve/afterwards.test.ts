import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createAfterwards } from './start-serve.ts';

it('delays warm-up work until some time after the service listens', async () => {
  await using owned = new AsyncDisposableStack();
  const afterwards = createAfterwards(owned);
  let hasBegun = false;
  const begun = afterwards.begun.then(() => void (hasBegun = true));
  await turn();
  expect(hasBegun).toBe(false);
  afterwards.listens();
  await turn();
  expect(hasBegun).toBe(false);
  await begun;
  expect(hasBegun).toBe(true);
});
