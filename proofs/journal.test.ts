import { appendFileSync, readFileSync, rmSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { currentCommit, openJournal } from './journal.ts';

const name = 'journal-test';
const file = `.svc/long/${name}-${currentCommit()}.jsonl`;
afterEach(() => rmSync(file, { force: true }));

it('continues after a line that was written only in part', () => {
  openJournal<{ readonly key: string }>(name, true).add({ key: 'one' });
  appendFileSync(file, '{"key":"tw');
  const journal = openJournal<{ readonly key: string }>(name, false);
  expect([...journal.done.keys()]).toEqual(['one']);
  journal.add({ key: 'two' });
  expect(readFileSync(file, 'utf8')).toBe('{"key":"one"}\n{"key":"two"}\n');
});
