import { describe, expect, it } from 'vitest';
import { AdminFault } from './admin-database.ts';
import { readExpiry } from './values.ts';

const nowMs = Date.parse('2026-11-22T10:00:00.500Z');

describe('the expiry of a key', () => {
  it.each([
    { given: '2027-01-31', want: '2027-01-31T00:00:00.000Z' },
    { given: '2028-02-29', want: '2028-02-29T00:00:00.000Z' },
    { given: '90d', want: '2027-02-20T10:00:00.500Z' },
    { given: '1h', want: '2026-11-22T11:00:00.500Z' },
  ])('parses $given as $want', ({ given, want }) => {
    expect(new Date(readExpiry(given, nowMs)).toISOString()).toBe(want);
  });

  it.each(['2026-11-22', '0d', '2020-01-01'])('rejects the past time %j', (given) => {
    expect(() => readExpiry(given, nowMs)).toThrow(/which has passed, expected a date such as/);
  });

  it.each([
    '',
    'never',
    '90',
    '90m',
    '-1d',
    '1.5d',
    '2027-02-29',
    '2027-1-1',
    '27-01-31',
    '2027-01-31T12:00',
    '999999d',
  ])('rejects %j', (given) => {
    expect(() => readExpiry(given, nowMs)).toThrow(AdminFault);
  });
});
