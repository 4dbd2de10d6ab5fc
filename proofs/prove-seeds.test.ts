import { expect, it } from 'vitest';
import { type SeedPart, getRows, seedPart, shownSeeds } from './prove-seeds.ts';

const part: SeedPart = {
  commit: 'aaaaaaa',
  date: '2026-11-21',
  server: 'reference',
  seeds: [[1, 3]],
  runs: 3,
  requests: 30,
  seconds: 9,
  alarms: [],
};

it('writes numbers as rows without a gap', () => {
  expect(getRows([3, 1, 2, 7, 9, 8, 2])).toEqual([
    [1, 3],
    [7, 9],
  ]);
  expect(getRows([])).toEqual([]);
});

it('goes on behind the seeds of other commits that have raised no alarm', () => {
  const alarmed = { ...part, commit: 'bbbbbbb', seeds: [[4, 5]], alarms: ['reference 4: alarm'] } as const;
  const own = { ...part, commit: 'ccccccc', seeds: [[6, 6]] } as const;
  const other = { ...part, server: 'slow-chunks', seeds: [[7, 7]] } as const;
  expect([...shownSeeds([part, alarmed, own, other], 'reference', 'ccccccc')]).toEqual([1, 2, 3]);
});

it('repeats of a part whose seeds of alarms are known only those', () => {
  const done = { server: 'reference', failing: [], errors: [], left: 0, requests: 10, seconds: 3, notes: [] };
  const runs = [8, 9, 10].map((seed) => ({ ...done, key: `reference ${seed}`, seed }));
  const found = seedPart({ commit: 'ddddddd', server: 'reference' }, runs, ['reference 9: alarm']);
  expect(found?.alarmed).toEqual([9]);
  expect([...shownSeeds(found === undefined ? [] : [found], 'reference', 'ccccccc')]).toEqual([8, 10]);
});
