import { expect, it } from 'vitest';
import { billFault } from './one-cycle.ts';
import { runCycles } from './prove-cycles.ts';

/**
 * With this seed, the five cycles end connections in every way that a cycle knows, kill a browser and kill the service.
 */
const seed = 2;

it('five browsers that are used, dropped and killed at random points leave nothing behind and are billed exactly', async () => {
  expect(await runCycles({ cycles: 5, seed })).toMatchObject({ done: 5, faults: [] });
});

const startedAt = '2026-01-01T00:00:00.000Z';

it.each([
  { finishedAt: '2026-01-01T00:00:00.001Z', browserCost: '0.000334', fault: null },
  { finishedAt: '2026-01-01T00:02:00.000Z', browserCost: '0.000667', fault: null },
  { finishedAt: '2026-01-01T00:02:00.001Z', browserCost: '0.000667', fault: 'costs 667 micro-dollars for 3 minutes' },
  { finishedAt: '2026-01-01T00:00:30.000Z', browserCost: '0.02', fault: 'costs 20000 micro-dollars for 1 minutes' },
  { finishedAt: startedAt, browserCost: '0', fault: 'ended 0 ms after its start' },
])('a bill of $browserCost up to $finishedAt: $fault', ({ fault, ...record }) => {
  const found = billFault({ startedAt, ...record });
  if (fault === null) expect(found).toBeNull();
  else expect(found).toContain(fault);
});
