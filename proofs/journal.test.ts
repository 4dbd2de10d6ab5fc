import { appendFileSync, readFileSync, rmSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { openJournal } from './journal.ts';
import { currentCommit } from '../tools/measure/evidence.ts';
import { proveSeeds } from './prove-seeds.ts';
import { proveStrains } from './strains/prove-strains.ts';
import { proveStranger } from './stranger/prove-stranger.ts';
import { proveTasks } from './tasks/prove-tasks.ts';

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

const given = { only: 'no such name', seed: 1, seedsMax: 1, rounds: 1, jobs: 1, minutes: 1, fresh: false };

it.each([
  ['seeds', proveSeeds],
  ['strains', proveStrains],
  ['stranger', proveStranger],
  ['tasks', proveTasks],
])('a proof of %s does not hold for names that do not exist', async (_name, prove) => {
  await expect(prove(given)).rejects.toThrow('found no name with "no such name" in it');
});
