import { expect, test } from 'vitest';
import { bounded, timedOut } from './bounded.ts';

/** Backtracks for longer than anybody lives. */
const forEver = (): boolean => /^(a+)+$/.test(`${'a'.repeat(60)}!`);

/** A clock of computing that shows one time after the other. */
function clockOf(...times: number[]): () => number {
  return () => times.shift() ?? 0;
}

test('work that has computed for its time is given up', () => {
  expect(bounded(forEver, clockOf(0, 900))).toBe(timedOut);
});

test('work that the machine gave no time is begun again, and may then end', () => {
  let attempts = 0;
  const work = (): number => {
    attempts += 1;
    if (attempts === 1) forEver();
    return attempts;
  };
  expect(bounded(work, clockOf(0, 20, 20))).toBe(2);
});

test('what the work throws is thrown', () => {
  const throws = (): never => {
    throw new RangeError('mine');
  };
  expect(() => bounded(throws)).toThrow('mine');
});
