import { describe, expect, it } from 'vitest';
import type { Exchange } from '../core/exchange.ts';
import { offendingMember } from './build-report.ts';

const json = { status: 'running', stepCount: '1', items: [{ id: 7 }], a: { b: 1 } };
const exchange: Exchange = {
  index: 0,
  generation: 'v3',
  operation: 'getSession',
  sentBy: 'test',
  atMs: 0,
  durationMs: 1,
  request: { method: 'GET', url: 'http://127.0.0.1/api/v3/sessions/1', headers: {} },
  status: 200,
  headers: {},
  body: JSON.stringify(json),
  json,
};

describe('the member at fault', () => {
  it.each([
    { name: 'is what the check says', message: 'the session is running', member: '/status', want: '/status' },
    {
      name: 'is what a schema names',
      message: 'v3.getSession answered 200: /items/0/id must be string',
      want: '/items/0/id',
    },
    { name: 'is what the message begins with', message: 'stepCount is "1": must be integer', want: '/stepCount' },
    { name: 'may lie deep', message: 'a.b of a record is 1; expected 2', want: '/a/b' },
    { name: 'may be missing', message: 'a session record has no updatedAt; found id', want: '/updatedAt' },
    {
      name: 'is never one that the body does not bear out',
      message: 'title is null; expected a text',
      want: undefined,
    },
    { name: 'is not missing where it is there', message: 'a record has no status; found it', want: undefined },
    {
      name: 'is none where the message names none',
      message: 'gpt-5.5 low answered 200; expected 422',
      want: undefined,
    },
  ])('$name', ({ message, want, ...rest }) => {
    const member = 'member' in rest ? { member: rest.member } : {};
    expect(offendingMember({ message, exchange, ...member })).toBe(want);
  });

  it('is undefined without a body', () => {
    expect(
      offendingMember({ message: 'status is running', exchange: { ...exchange, json: undefined } }),
    ).toBeUndefined();
  });
});
