import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../core/json.ts';
import { isEquivalent, compare, isFiner, larger, toSize } from './likeness.ts';
import type { Likeness } from './records.ts';

describe('alike', () => {
  const table: readonly { as: Likeness; given: readonly [JsonValue, JsonValue]; want: boolean }[] = [
    {
      as: 'same',
      given: [
        { a: 1, b: [2] },
        { b: [2], a: 1 },
      ],
      want: true,
    },
    { as: 'same', given: ['straße', 'strasse'], want: false },
    { as: 'time', given: ['2026-11-21T10:00:00', '2026-11-21T10:00:00.000Z'], want: true },
    { as: 'time', given: ['2026-11-21T10:00:00+01:00', '2026-11-21T10:00:00Z'], want: false },
    { as: 'time', given: ['2026-11-21T10:00:00.252000', '2026-11-21T10:00:00.25Z'], want: true },
    { as: 'time', given: ['2026-11-21T10:00:00.252Z', '2026-11-21T10:00:00.262Z'], want: false },
    { as: 'decimal', given: [0.5, '0.50'], want: true },
    { as: 'decimal', given: ['5e-2', '0.05'], want: true },
    { as: 'decimal', given: ['0.1', '0.10000000000000001'], want: false },
    { as: 'alias', given: ['svc-max', 'claude-sonnet-5'], want: true },
    { as: 'alias', given: ['svc-max', 'svc-mini'], want: false },
    { as: 'among', given: [['a', 'b'], ['b']], want: true },
    { as: 'among', given: [['a', 'b'], null], want: true },
    { as: 'among', given: [['a', 'b'], ['c']], want: false },
  ];

  it.each(table)('$as: $given are $want', ({ as, given: [left, right], want }) => {
    expect(isEquivalent(as, left, right)).toBe(want);
  });
});

describe('compare', () => {
  it.each([
    { as: 'count', given: [[1, 2], [1]], want: -1 },
    { as: 'decimal', given: ['0.010', '0.009'], want: -1 },
    { as: 'number', given: [3, 3], want: 0 },
    { as: 'time', given: ['2026-11-21T10:00:00Z', '2026-11-21T10:00:01'], want: 1000 },
    { as: 'number', given: [3, null], want: undefined },
  ] as const)('$as: $given', ({ as, given: [left, right], want }) => {
    const copy = (value: typeof left | typeof right): JsonValue =>
      typeof value === 'object' && value !== null ? [...value] : value;
    expect(compare(as, copy(left), copy(right))).toBe(want);
  });
});

describe('larger', () => {
  it('returns the later of two times that another notation may show as one', () => {
    const [coarse, fine] = ['2026-11-21T10:00:00.25Z', '2026-11-21T10:00:00.258Z'].map((time) => toSize('time', time));
    expect(coarse !== undefined && fine !== undefined && larger(coarse, fine)).toBe(fine);
    expect([isFiner(coarse, fine), isFiner(fine, coarse)]).toEqual([true, false]);
  });
});
