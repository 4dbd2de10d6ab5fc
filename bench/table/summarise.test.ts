import { describe, expect, it } from 'vitest';
import { summarise } from './summarise.ts';
import { tableLines } from './table-lines.ts';
import { getMedian } from '../../tools/measure/evidence.ts';

describe('a figure held against its goal', () => {
  const rows = [
    {
      given: 'a ratio of each round, not of the medians',
      measured: { id: 'get-session', ours: [10, 60, 30], anchor: [20, 100, 60] },
      want: { value: { median: 0.5, least: 0.5, most: 0.6 }, ours: 30, anchor: 60, isMet: false },
    },
    {
      given: 'a ratio at its bound',
      measured: { id: 'get-session', ours: [60], anchor: [100] },
      want: { value: { median: 0.6 }, isMet: true },
    },
    {
      given: 'a difference',
      measured: { id: 'start', ours: [900, 700], anchor: [400, 300] },
      want: { value: { median: 450, least: 400, most: 500 }, isMet: false },
    },
    {
      given: 'a figure without an anchor',
      measured: { id: 'generate', ours: [4, 6], anchor: [] },
      want: { value: { median: 5 }, anchor: null, isMet: true },
    },
    {
      given: 'a figure without a goal',
      measured: { id: 'session-memory', ours: [9], anchor: [] },
      want: { value: { median: 9 }, isMet: null },
    },
    {
      given: 'a figure that could not be measured',
      measured: { id: 'stateful-get', unmeasured: 'there is none' },
      want: { value: null, isMet: null, note: 'there is none' },
    },
  ] as const;
  it.each(rows)('$given', ({ measured, want }) => {
    expect(summarise(measured)).toMatchObject(want);
  });

  it('refuses a round that has no anchor', () => {
    expect(() => summarise({ id: 'get-session', ours: [1, 2], anchor: [1] })).toThrow('a round without its anchor');
  });

  it('takes the mean of the two in the middle of an even count, and no number of none', () => {
    expect([getMedian([4, 1, 3, 2]), getMedian([3, 1, 2]), getMedian([])]).toEqual([2.5, 2, Number.NaN]);
  });
});

it('prints a line for each figure, and what it was held against below', () => {
  const measured = [
    { id: 'get-session', ours: [9000, 9500], anchor: [12_000, 12_500] },
    { id: 'start', ours: [900], anchor: [400] },
    { id: 'stateful-get', unmeasured: 'there is none' },
  ] as const;
  expect(tableLines(measured.map(summarise))).toEqual([
    'figure                                                ours            anchor  value       spread        goal     met',
    'GET a session, 100 connections             9250 requests/s  12250 requests/s   0.76  0.75 - 0.76      >= 0.6     met',
    '    against: bare framework, same bytes',
    'backend start to first answer                       900 ms            400 ms    500    500 - 500  <= +400 ms  MISSED',
    '    against: node + empty framework server',
    'GET on the stateful mock, 100 connections                -                        -                     >= 3        ',
    '    against: prism mock -v silent; there is none',
  ]);
});
