import { expect, test } from 'vitest';
import { explained, keepLog } from './explained.ts';

test('a fault that quotes a request is explained by the line of the log that names it', () => {
  const log = keepLog();
  for (const line of ['{"request":"a-1","message":"this"}', '{"request":"b-2","message":"that"}']) log.add(line);
  expect(explained('was answered 500: Internal error; quote request b-2', log.lines)).toBe(
    'was answered 500: Internal error; quote request b-2 (log: {"request":"b-2","message":"that"})',
  );
  expect(explained('was answered 500: quote request c-3', log.lines)).toBe('was answered 500: quote request c-3');
  expect(explained('an orphan', log.lines)).toBe('an orphan');
});

test('of a log without end the beginning is kept', () => {
  const log = keepLog();
  for (let line = 0; line < 2_000; line += 1) log.add(String(line));
  expect([log.lines.length, log.lines.at(-1)]).toEqual([1_000, '999']);
});
