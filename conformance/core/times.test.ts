import { describe, expect, it } from 'vitest';
import { compareTimes, isSameMember, isSameRecord, parseTime } from './times.ts';

const second = '2026-11-27T16:08:47';

describe('compareTimes', () => {
  it.each([
    { given: ['.252000', '.25Z'], want: 0, what: 'a truncated time' },
    { given: ['.256Z', '.26Z'], want: 0, what: 'a rounded time' },
    { given: ['.25Z', '.252417+00:00'], want: 0, what: 'a finer time' },
    { given: ['.999Z', 'Z'], want: 0, what: 'a time in whole seconds' },
    { given: ['.252000Z', '.252417Z'], want: 0, what: 'times within a millisecond' },
    { given: ['.252Z', '.262Z'], want: 10, what: 'a change of 10 ms in three digits' },
    { given: ['.262Z', '.252Z'], want: -10, what: 'a fall of 10 ms in three digits' },
    { given: ['.25Z', '.260000Z'], want: 10, what: 'a change of one unit of the coarser notation' },
    { given: ['.000Z', '.001Z'], want: 1, what: 'a change of a millisecond' },
  ])('returns $want for $what', ({ given: [left = '', right = ''], want }) => {
    expect(compareTimes(`${second}${left}`, `${second}${right}`)).toBe(want);
  });

  it('finds a change of a second between two notations', () => {
    expect(compareTimes(`${second}Z`, '2026-11-27T16:08:48.000Z')).toBe(1000);
    expect(compareTimes(`${second}.25Z`, '2026-11-27T21:38:48.252417+05:30')).toBeGreaterThan(1000);
  });

  it('returns undefined for a value that is not a time', () => {
    expect(compareTimes(`${second}Z`, null)).toBeUndefined();
  });
});

describe('parseTime', () => {
  it('reads no time from a value that is not a time', () => {
    expect([parseTime(null), parseTime('yesterday'), parseTime(undefined)]).toEqual([undefined, undefined, undefined]);
  });

  it('reads a time without an offset as UTC, in whole milliseconds', () => {
    expect(parseTime('1970-01-01T00:00:01.2349')).toBe(1234);
  });
});

describe('isSameRecord', () => {
  it('compares times as instants, and other members by their text', () => {
    const [record, other] = [`${second}.252Z`, `${second}.25Z`].map((time) => ({ id: 'a', createdAt: time }));
    expect(isSameRecord(record, other)).toBe(true);
    expect(isSameRecord({ ...record, id: 'b' }, other ?? null)).toBe(false);
    expect(isSameMember('name', record?.createdAt, other?.createdAt)).toBe(false);
  });

  it('finds a missing member', () => {
    expect(isSameRecord({ id: 'a', lastUsedAt: null }, { id: 'a' })).toBe(false);
  });
});
