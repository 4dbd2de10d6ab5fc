import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import config from '../../vitest.config.ts';
import { longFiles } from './long-files.ts';
import { LongestFirst, longestFirst } from './longest-first.ts';

const names = [...longFiles.keys()];

it('the files that take long are those of the list, the longest first, and the others stay as they are', () => {
  const [longest = '', second = ''] = names;
  const given = ['a.test.ts', second, 'c.test.ts', longest, 'b.test.ts'];
  expect(longestFirst(given, (name) => name)).toEqual([longest, second, 'a.test.ts', 'c.test.ts', 'b.test.ts']);
});

it('each of them is there, and they stand in their order', () => {
  expect(names.filter((name) => !existsSync(name))).toEqual([]);
  const seconds = [...longFiles.values()];
  expect(seconds).toEqual(seconds.toSorted((a, b) => b - a));
});

it('npm test runs in this order', () => {
  expect(config({ mode: 'test', command: 'serve' }).test?.sequence?.sequencer).toBe(LongestFirst);
});
