import { pino } from 'pino';
import { expect, it } from 'vitest';
import { openDatabase } from '#store/open-database.ts';
import { listUnreferencedKeys, markUnreferenced } from '#store/blobs/unreferenced-blobs.ts';
import { discardLeftBlobs } from './files.ts';

const hourMs = 3_600_000;
const now = 10 * hourMs;

it.each([
  { isAlone: true, name: 'a process that is alone removes all that another left', left: [] },
  { isAlone: false, name: 'one of several leaves what another can be writing now', left: ['new'] },
])('$name', async ({ isAlone, left }) => {
  const db = await openDatabase(':memory:');
  const removed: string[] = [];
  const nothing = (): Promise<never> => Promise.reject(new Error('not asked for'));
  const blobs = {
    put: nothing,
    get: nothing,
    write: nothing,
    read: nothing,
    remove: async (key: string) => void removed.push(key),
  };
  await markUnreferenced(db, 'old', now - 2 * hourMs);
  await markUnreferenced(db, 'new', now - 1);
  const clock = { now: () => now, at: () => () => undefined };
  await discardLeftBlobs({ db, blobs, clock, isAlone, log: pino({ level: 'silent' }) });
  expect(await listUnreferencedKeys(db)).toEqual(left);
  expect(removed.toSorted()).toEqual(['new', 'old'].filter((key) => !left.includes(key)));
  await db.destroy();
});
