import { expect, test } from 'vitest';
import { isLoss } from './database-away.ts';

test.each([
  { code: 'ECONNREFUSED', isLost: true },
  { code: 'EAI_AGAIN', isLost: true },
  { code: 'ENOTFOUND', isLost: true },
  { code: '53100', isLost: false },
  { code: '23505', isLost: false },
])('$code: the connection is lost, $isLost', ({ code, isLost }) => {
  expect(isLoss(Object.assign(new Error('it failed'), { code }))).toBe(isLost);
});
