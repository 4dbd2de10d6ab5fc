import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { limitOf } from '#domain/limit-of.ts';
import { defaultRules } from '#domain/rule-book.ts';
import { Unavailable } from '#domain/unavailable.ts';
import { refusalOfError } from './refusal-of-error.ts';

const asked = { id: 'a-request', request: new IncomingMessage(new Socket()) };
const parts = { rules: defaultRules, log: pino({ level: 'silent' }) };

it.each(['database_away', 'owner_silent'] as const)('what is away (%s) says when to come again', (code) => {
  const { status, body, headers } = refusalOfError(new Unavailable(code, 'away'), asked, parts);
  const seconds = String(limitOf(defaultRules, 'databaseRetryAfter') / 1_000);
  expect([status, new Headers(headers).get('retry-after')]).toEqual([503, seconds]);
  expect(JSON.stringify(body)).toContain(`try again in ${seconds} s`);
});

it('a fault says nothing of the inside', () => {
  const { status, body } = refusalOfError(new Error('column x does not exist'), asked, parts);
  expect([status, body]).toEqual([500, { detail: 'Internal error; quote request a-request' }]);
});
