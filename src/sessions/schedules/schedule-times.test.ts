import { Cron } from 'croner';
import { describe, expect, it } from 'vitest';
import { threadTimeMs } from '#lib/testing/thread-time.ts';
import { getNextTime, isTimeZone, readTiming } from './schedule-times.ts';

const berlin = 'Europe/Berlin';

/** Returns the next times of a cron text as ISO 8601 in UTC, without seconds. */
function times(cron: string, timeZone: string, { from, count }: { readonly from: string; readonly count: number }) {
  const found: string[] = [];
  let after = Date.parse(from);
  while (found.length < count) {
    after = getNextTime({ cron, timeZone }, after) ?? Number.NaN;
    found.push(new Date(after).toISOString().slice(0, 16));
  }
  return found;
}

describe('the times of a cron text', () => {
  it('follow the clock of the time zone over both changes of the year', () => {
    expect(times('0 9 * * *', berlin, { from: '2026-03-28T00:00Z', count: 2 })).toEqual([
      '2026-03-28T08:00',
      '2026-03-29T07:00',
    ]);
    expect(times('0 9 * * *', 'America/New_York', { from: '2026-10-31T00:00Z', count: 2 })).toEqual([
      '2026-10-31T13:00',
      '2026-11-01T14:00',
    ]);
  });

  it('run once, right after the change, where the clock skips the local time', () => {
    expect(times('30 2 * * *', berlin, { from: '2026-03-28T12:00Z', count: 2 })).toEqual([
      '2026-03-29T01:00',
      '2026-03-30T00:30',
    ]);
  });

  it('run once where the local time occurs twice', () => {
    expect(times('30 2 * * *', berlin, { from: '2026-10-24T12:00Z', count: 2 })).toEqual([
      '2026-10-25T00:30',
      '2026-10-26T01:30',
    ]);
  });

  it('miss no half hour and repeat none where the text names every half hour', () => {
    const found = times('*/30 * * * *', berlin, { from: '2026-10-24T23:00Z', count: 8 });
    expect(found.at(-1)).toBe('2026-10-25T03:00');
    expect(new Set(found).size).toBe(8);
  });
});

describe('a timing', () => {
  const now = { timeZone: berlin, nowMs: Date.parse('2026-11-26T00:00Z') };

  it.each([
    { given: { cron: '0 9 * * 1-5' }, want: '2026-11-26T08:00' },
    { given: { at: '2027-07-01T09:00' }, want: '2027-07-01T07:00' },
    { given: { at: '2027-01-31T09:00:00' }, want: '2027-01-31T08:00' },
    { given: { at: '2027-01-31T09:00:00Z' }, want: '2027-01-31T09:00' },
    { given: { at: '2027-01-31T09:00+05:30' }, want: '2027-01-31T03:30' },
  ])('$given begins at $want', ({ given, want }) => {
    const read = readTiming(given, now);
    expect('nextAtMs' in read && new Date(read.nextAtMs).toISOString().slice(0, 16)).toBe(want);
  });

  it.each([
    { cron: '* * * * * *' },
    { cron: '60 * * * *' },
    { cron: '0 0 30 2 *' },
    { cron: 'every day' },
    { cron: '' },
    { cron: `${'1,'.repeat(60)}1 * * * *` },
    { cron: '0 0 1-7 * +1#2,2#2,3#2,4#2,5#2,6#2,0#2' },
    { cron: '0 9 1 * +MON' },
    { cron: '@yearly' },
    { cron: '2027-01-31T09:00:00' },
    { cron: '0 9 * *' },
    { at: '2027-02-30T09:00' },
    { at: '2020-01-01T09:00' },
    { at: 'tomorrow' },
    { at: '2027-01-31' },
  ])('%j is refused with what was expected', (given) => {
    expect(readTiming(given, now)).toEqual({ fault: expect.stringMatching(/^found the .*, expected /) });
  });
});

const neverMatches = '0 0 1-7 * +1#2,2#2,3#2,4#2,5#2,6#2,0#2,1#3,2#3,3#3,4#3,5#3,6#3,0#3';

it.each([
  { cron: neverMatches },
  { cron: '0 0 1W,2W,3W,4W,5W,6W,7W,8W,9W,10W,11W,12W,13W * +0' },
  { cron: '* * 31 2,4,6,9,11 *' },
])('$cron, which names no day, is refused in less than a quarter of the time of a search in all years', ({ cron }) => {
  const measure = (work: () => unknown): number => {
    const before = threadTimeMs();
    work();
    return threadTimeMs() - before;
  };
  const searchMs = measure(() => new Cron(neverMatches, { mode: '5-part', paused: true }).nextRun());
  const refusalMs = measure(() => {
    expect(readTiming({ cron }, { timeZone: berlin, nowMs: 0 })).toHaveProperty('fault');
  });
  expect(refusalMs).toBeLessThan(searchMs / 4);
});

it.each([
  ['Europe/Berlin', true],
  ['UTC', true],
  ['Mars/Olympus', false],
  ['', false],
])('time zone %s: %s', (name, want) => {
  expect(isTimeZone(name)).toBe(want);
});
