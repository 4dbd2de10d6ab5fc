import { InvalidArgumentError } from 'commander';
import { expect, it } from 'vitest';
import { keyTable, projectTable } from './tables.ts';
import { readName } from './values.ts';

it('lists keys with their current state', () => {
  const key = {
    id: 'a',
    prefix: 'svc_abcd',
    name: null,
    projectId: 'p',
    createdAtMs: 0,
    lastUsedAtMs: null,
    maySchedule: false,
  };
  const rows = [
    { ...key, expiresAtMs: null, revokedAtMs: null, monthlyMicros: null },
    { ...key, expiresAtMs: 11, revokedAtMs: null, monthlyMicros: 2_500_000 },
    { ...key, expiresAtMs: 10, revokedAtMs: null, monthlyMicros: null, name: 'ci' },
    { ...key, expiresAtMs: 11, revokedAtMs: 5, monthlyMicros: null, lastUsedAtMs: 4 },
  ];
  expect(keyTable(rows, 10).split('\n')).toEqual([
    'ID  KEY          STATE    PROJECT  CREATED                   LAST USED                 EXPIRES                   SCHEDULES  MONTHLY    NAME',
    'a   svc_abcd...  active   p        1970-01-01T00:00:00.000Z  never                     never                     no         unlimited',
    'a   svc_abcd...  active   p        1970-01-01T00:00:00.000Z  never                     1970-01-01T00:00:00.011Z  no         $2.5',
    'a   svc_abcd...  expired  p        1970-01-01T00:00:00.000Z  never                     1970-01-01T00:00:00.010Z  no         unlimited  ci',
    'a   svc_abcd...  revoked  p        1970-01-01T00:00:00.000Z  1970-01-01T00:00:00.004Z  1970-01-01T00:00:00.011Z  no         unlimited',
  ]);
});

it('lists projects with their limits', () => {
  const project = {
    id: 'p',
    name: 'shop',
    creditMicros: null,
    sessionsMax: null,
    requestsPerSecond: null,
    createdAtMs: 0,
    timeZone: 'Europe/Berlin',
  };
  const rows = [
    { ...project, zeroDataRetention: false },
    { ...project, creditMicros: 2_500_000, sessionsMax: 7, requestsPerSecond: 50, zeroDataRetention: true },
  ];
  expect(projectTable(rows).split('\n').slice(1)).toEqual([
    'p   1970-01-01T00:00:00.000Z  unlimited  default   default  kept       Europe/Berlin  shop',
    'p   1970-01-01T00:00:00.000Z  $2.5       7         50/s     zero       Europe/Berlin  shop',
  ]);
});

it.each(['', ' shop', 'shop ', 'a\u0007b', 'a\nb', '\u202Eshop', 'x'.repeat(101)])('rejects the name %j', (given) => {
  expect(() => readName(given)).toThrow(InvalidArgumentError);
  expect(readName(`shop ${'x'.repeat(95)}`)).toHaveLength(100);
});
