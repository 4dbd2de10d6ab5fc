import { expect, it } from 'vitest';
import { runInterrupts } from './prove-interrupts.ts';

it('a run sees no effect of the interrupted run before it', async () => {
  const { done, faults, requests } = await runInterrupts({ interrupts: 8, seed: 7, lanes: 2 });
  expect({ done, faults }).toEqual({ done: 8, faults: [] });
  expect(requests).toBeGreaterThan(8);
});
