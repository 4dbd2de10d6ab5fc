import { expect, it } from 'vitest';
import { createResponseCache } from './reader.ts';

it('keeps answers by statement and parameter until they are forgotten', () => {
  const answers = createResponseCache();
  const rows = [{ key: 'a' }];
  expect(answers.keep('select 1', 'a', rows)).toBe(rows);
  expect(answers.get('select 1', 'a')).toBe(rows);
  expect([answers.get('select 2', 'a'), answers.get('select 1', 'b')]).toEqual([undefined, undefined]);
  answers.forget();
  expect(answers.get('select 1', 'a')).toBeUndefined();
});

it('is full with 512 of them', () => {
  const answers = createResponseCache();
  for (let index = 0; index < 511; index += 1) answers.keep('select 1', String(index), []);
  expect(answers.isFull()).toBe(false);
  answers.keep('select 1', 'last', []);
  expect(answers.isFull()).toBe(true);
  answers.forget();
  expect(answers.isFull()).toBe(false);
});

it('keeps no answer above 16 KiB', () => {
  const answers = createResponseCache();
  answers.keep('select 1', 'large', [{ output: 'x'.repeat(16_385) }]);
  answers.keep('select 1', 'fits', [{ output: 'x'.repeat(16_384) }]);
  expect(answers.get('select 1', 'large')).toBeUndefined();
  expect(answers.get('select 1', 'fits')).toHaveLength(1);
});
