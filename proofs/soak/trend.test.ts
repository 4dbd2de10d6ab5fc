import { describe, expect, it } from 'vitest';
import { isGrowth, getTrend } from './prove-soak.ts';

/** Returns noise between -1 and 1 that is the same in every run. */
const noise = (n: number): number => Math.sin(n * 12.9898) * Math.cos(n * 78.233);
const windows = (figure: (n: number) => number): number[] => Array.from({ length: 60 }, (_, n) => figure(n));

describe('growth over many windows', () => {
  const rows = [
    { given: 'a figure that only trembles', figure: (n: number) => 100 + 5 * noise(n), want: false },
    {
      given: 'a leak that the trembling hides in any two windows',
      figure: (n: number) => 100 + 0.15 * n + 5 * noise(n),
      want: true,
    },
    { given: 'a figure that stands still', figure: () => 100, want: false },
    { given: 'one odd window', figure: (n: number) => (n === 58 ? 400 : 100 + noise(n)), want: false },
    {
      given: 'a first window that loads what is needed',
      figure: (n: number) => (n === 0 ? 60 : 100 + noise(n)),
      want: false,
    },
    { given: 'a figure that falls', figure: (n: number) => 100 - 0.5 * n + noise(n), want: false },
    { given: 'a rise that is sure and means nothing', figure: (n: number) => 100 + 0.01 * n, want: false },
  ];
  it.each(rows)('$given: $want', ({ figure, want }) => {
    expect(isGrowth(getTrend(windows(figure)))).toBe(want);
  });

  it('says nothing of a figure that is nothing', () => {
    expect(getTrend(windows(() => 0))).toMatchObject({ perWindow: 0, share: 0 });
  });

  it('says by how much a figure rises', () => {
    const { perWindow, share, certainty } = getTrend(windows((n) => 100 + n));
    expect(perWindow).toBeCloseTo(1);
    expect(share).toBeCloseTo(59 / 130);
    expect(certainty).toBeGreaterThan(10);
  });
});
