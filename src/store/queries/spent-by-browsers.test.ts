import { afterEach, beforeEach, expect, it } from 'vitest';
import { type BrowserRow, settleBrowsers, spentByBrowsers } from './browsers.ts';
import type { Database } from '../database.ts';
import { openDatabase } from '../open-database.ts';

let db: Database;
beforeEach(async () => {
  db = await openDatabase(':memory:');
  for (const id of ['p', 'q']) await db.insertInto('projects').values({ id, name: id, createdAt: 0 }).execute();
});
afterEach(() => db.destroy());

const add = async (id: string, projectId: string, finishedAt: number | null): Promise<void> => {
  const tokens = { cdpHash: `c${id}`, liveHash: `l${id}`, viewHash: `v${id}` };
  const status = finishedAt === null ? 'active' : 'stopped';
  const times = { timeoutMinutes: 1, startedAt: 0, finishedAt };
  const rest = { metadata: '{}', proxyBytes: 0 };
  await db
    .insertInto('browsers')
    .values({ id, projectId, status, ...tokens, ...times, ...rest })
    .execute();
};

it('adds up every browser of the project once, and reads none that is settled', async () => {
  const priced: string[] = [];
  const price = ({ id }: BrowserRow): number => {
    priced.push(id);
    return 10;
  };
  expect(await spentByBrowsers(db, 'p', price)).toBe(0);
  await add('old', 'p', 1_000);
  await add('late', 'p', 9_000);
  await add('active', 'p', null);
  await add('other', 'q', 1_000);
  expect(await spentByBrowsers(db, 'p', price)).toBe(30);
  await settleBrowsers(db, { projectId: 'p', finishedBefore: 5_000 }, price);
  await settleBrowsers(db, { projectId: 'p', finishedBefore: 5_000 }, price);
  priced.length = 0;
  expect(await spentByBrowsers(db, 'p', price)).toBe(30);
  expect(priced.toSorted()).toEqual(['active', 'late']);
  expect(await spentByBrowsers(db, 'q', price)).toBe(10);
});
