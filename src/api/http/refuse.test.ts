import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { defaultRules, getLimit } from '#contract/rule-book.ts';
import { Unavailable } from '#lib/http.ts';
import { toRefusal } from './refuse.ts';

const asked = { id: 'a-request', request: new IncomingMessage(new Socket()) };
const parts = { rules: defaultRules, log: pino({ level: 'silent' }) };

it.each([
  ['database_away', 503, 'databaseRetryAfter'],
  ['database_locked', 503, 'databaseRetryAfter'],
  ['owner_silent', 503, 'databaseRetryAfter'],
  ['storage_full', 507, 'storageRetryAfter'],
] as const)('answers %s with %d and the seconds after which to try again', (code, wanted, limit) => {
  const { status, body, headers } = toRefusal(new Unavailable(code, 'away'), asked, parts);
  const seconds = String(getLimit(defaultRules, limit) / 1_000);
  expect([status, new Headers(headers).get('retry-after')]).toEqual([wanted, seconds]);
  expect(JSON.stringify(body)).toContain(`try again in ${seconds} s`);
});

it('hides the cause of an internal error from the client', () => {
  const { status, body } = toRefusal(new Error('column x does not exist'), asked, parts);
  expect([status, body]).toEqual([500, { detail: 'Internal error; quote request a-request' }]);
});
