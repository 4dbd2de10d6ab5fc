import { expect, it } from 'vitest';
import { createDraw } from '../draw.ts';
import { entryPoints, stallsPage } from './prove-stalls.ts';
import { runStalls } from './run-stalls.ts';
import { type Tally, isOffender, offenderLine, pollerFigures } from './tally.ts';
import { worstJsonText } from './worst-json.ts';
import { worstText } from './worst-texts.ts';

it('names every entry point once', () => {
  expect(new Set(entryPoints.map(({ name }) => name)).size).toBe(entryPoints.length);
});

it('draws the same inputs from the same seed, of the size that was asked for', () => {
  for (let seed = 0; seed < 200; seed += 1) {
    expect(worstText(createDraw(seed), 5000)).toBe(worstText(createDraw(seed), 5000));
    expect(worstText(createDraw(seed), 5000).length).toBeLessThanOrEqual(5000);
    expect(worstJsonText(createDraw(seed), 5000).length).toBeLessThanOrEqual(5002);
  }
});

it('counts an input that blocks or grows too much, and the time of a poll without that of other processes', () => {
  expect([50, 51].map((blockedMs) => isOffender({ blockedMs, grownMib: 1 }))).toEqual([false, true]);
  expect([64, 65].map((grownMib) => isOffender({ blockedMs: 1, grownMib }))).toEqual([false, true]);
  expect(pollerFigures([{ ms: 80, waitedMs: 70 }])).toEqual({ wallMs: 80, ownMs: 10 });
  const offender = { entry: 'a b', number: 3, result: '200', measured: null };
  expect(offenderLine(offender, 7)).toMatch(/npm run long -- stalls --seed 7 --only 'a b' --input 3$/);
  const measured = { blockedMs: 84, busyMs: 30, grownMib: 20, delayMs: 1 };
  expect(offenderLine({ ...offender, measured }, 7)).toContain(': 84 ms (30 ms of a processor), 20 MiB (200)');
  const polls = [{ ms: 1, waitedMs: 0 }];
  const tally: Tally = {
    entry: 'a b',
    sent: 4,
    results: new Map([['200', 4]]),
    worstMs: 60,
    worstBusyMs: 20,
    worstMib: 1,
    delayMs: 1,
    offenders: [offender],
    polls,
  };
  expect(stallsPage([tally], { seed: 7, inputs: 4, commit: 'c', day: 'd', minutes: 1 })).toContain(
    '| a b | 4 | 60 | 20 | 1 |',
  );
});

it('sends inputs to a service and measures it from inside', async () => {
  const entry = entryPoints.find(({ name }) => name === 'query strings');
  if (entry === undefined) throw new Error('expected an entry point for query strings');
  const options = {
    entry,
    seed: 20_261_123,
    from: 0,
    inputs: 40,
    until: Number.POSITIVE_INFINITY,
    onOffender: () => undefined,
  };
  const { sent, worstMs, worstBusyMs, worstMib, polls, results } = await runStalls(options);
  expect([sent, [...results.values()].reduce((sum, times) => sum + times, 0)]).toEqual([40, 40]);
  expect(worstMs).toBeGreaterThan(0);
  expect(worstBusyMs).toBeGreaterThan(0);
  expect(worstMib).toBeGreaterThanOrEqual(0);
  expect(polls.length).toBeGreaterThan(0);
});
