import { expect, it } from 'vitest';
import { requestId } from './request-scope.ts';

const made = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

it.each(['a', 'job-17.step:2', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', 'x'.repeat(128)])(
  'takes over %s',
  (given) => expect(requestId(given)).toBe(given),
);

it.each([undefined, '', ' ', 'a b', 'a\nb', 'a"b', '{}', '<b>', 'é', '-a', 'x'.repeat(129), ['a', 'b']])(
  'makes one of its own instead of %j',
  (given) => expect(requestId(given)).toMatch(made),
);

it('generates a new id for each request', () => {
  expect(requestId(undefined)).not.toBe(requestId(undefined));
});
