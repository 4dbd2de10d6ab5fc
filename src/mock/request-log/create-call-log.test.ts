import { expect, it } from 'vitest';
import type { LoggedCall } from '#contract/log-messages.ts';
import { createCallLog } from './create-call-log.ts';

const call: Omit<LoggedCall, 'id'> = {
  at: '2026-01-01T00:00:00.000Z',
  method: 'GET',
  path: '/api/v4/runs',
  query: '',
  operation: null,
  status: 200,
  ms: 1,
  verdict: 'kept',
  headers: {},
  body: null,
  answer: null,
  problems: [],
  differences: [],
  lines: [],
};

it('tells its viewers which calls it no longer contains', () => {
  const log = createCallLog(2);
  const told: string[] = [];
  const leave = log.watch({ call: ({ id }) => told.push(`call ${id}`), kept: (first) => told.push(`from ${first}`) });
  for (let count = 0; count < 3; count += 1) log.add(() => call);
  log.clear();
  leave();
  log.add(() => call);
  expect(told).toEqual(['call 1', 'call 2', 'call 3', 'from 2', 'from 4']);
});
