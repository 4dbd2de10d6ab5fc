import { expect, it } from 'vitest';
import { grownLines } from './grown.ts';

it('marks what costs more the more there is, and nothing else', () => {
  const common = { of: 'things', sizes: [1, 10, 100], unit: 'ms' } as const;
  const lines = grownLines([
    { ...common, figure: 'steady', costs: [2, 2.2, 2.5] },
    { ...common, figure: 'grows', costs: [2, 4, 8] },
    { ...common, figure: 'nothing', costs: [0, 0, 0] },
  ]);
  expect(lines.map((line) => line.endsWith('GROWS'))).toEqual([false, true, false]);
  expect(lines[1]).toBe('grows      4.00  2.00 ms (1)  4.00 ms (10)  8.00 ms (100)  things  GROWS');
});
