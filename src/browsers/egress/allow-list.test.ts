import { expect, test } from 'vitest';
import { parseAllowList } from './allow-list.ts';

const allowed = parseAllowList(['127.0.0.1:8080', '[::1]:81', '10.1.0.0/16', 'fd00::/8']);

test.each([
  ['127.0.0.1', 8080, true],
  ['127.0.0.1', 8081, false],
  ['127.0.0.2', 8080, false],
  ['::ffff:127.0.0.1', 8080, true],
  ['::1', 81, true],
  ['::1', 80, false],
  ['10.1.255.255', 1, true],
  ['10.2.0.0', 1, false],
  ['fd12::1', 443, true],
  ['fe80::1', 443, false],
] as const)('%s port %i: %s', (address, port, want) => {
  expect(allowed(address, port)).toBe(want);
});

test.each(['localhost:80', '127.0.0.1', '10.0.0.0/x', 'example.com/8', '[::1]', ''])(
  'refuses the entry "%s"',
  (entry) => {
    expect(() => parseAllowList([entry])).toThrow(RangeError);
  },
);
