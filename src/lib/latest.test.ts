import { expect, it } from 'vitest';
import { createRingBuffer } from './ring-buffer.ts';

it('keeps the latest items with their sequence numbers, and returns them by page', () => {
  const latest = createRingBuffer<string>(3);
  expect([latest.page(0, 9), latest.first(), latest.next()]).toEqual([[], 1, 1]);
  const numbers = ['a', 'b', 'c', 'd', 'e'].map((item) => latest.add(item));
  expect(numbers).toEqual([1, 2, 3, 4, 5]);
  expect([latest.page(0, 9), latest.first(), latest.next()]).toEqual([['c', 'd', 'e'], 3, 6]);
  expect([latest.page(0, 2), latest.page(4, 2), latest.page(5, 2), latest.page(9, 2)]).toEqual([
    ['c', 'd'],
    ['e'],
    [],
    [],
  ]);
  latest.clear();
  expect([latest.page(0, 9), latest.first(), latest.add('f'), latest.page(0, 9)]).toEqual([[], 6, 6, ['f']]);
});

it('adds many items to a full buffer quickly', () => {
  const latest = createRingBuffer<number>(100_000);
  for (let item = 0; item < 1_000_000; item += 1) latest.add(item);
  expect([latest.first(), latest.page(0, 1)]).toEqual([900_001, [900_000]]);
});
