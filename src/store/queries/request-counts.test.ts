import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Database } from '../database.ts';
import { openDatabase } from '../open-database.ts';
import { countTogether } from './counts.ts';

let db: Database;
beforeEach(async () => {
  db = await openDatabase(':memory:');
});
afterEach(() => db.destroy());

it('counts by name and starts at zero in each period, also for a process with a slow clock', async () => {
  const counted: number[] = [];
  const asked: readonly [string, number][] = [
    ['one', 7],
    ['one', 7],
    ['two', 7],
    ['one', 8],
    ['one', 7],
  ];
  for (const [name, period] of asked) counted.push(await countTogether(db, name, period));
  expect(counted).toEqual([1, 2, 1, 1, 2]);
});
