import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HostedBrowser } from '#browsers/host.ts';
import { createSimulatedHost } from '#browsers/index.ts';
import { type Recordings, createRecordings } from '#sessions/recordings/index.ts';
import type { Database } from '#store/database.ts';
import { openDatabase } from '#store/open-database.ts';
import { createDiskBlobs } from '#store/blobs/disk-blobs.ts';
import { lockFolder } from '#store/data-folder.ts';
import { defaultRules } from '#contract/rule-book.ts';
import { createFrozenClock } from './support/frozen-clock.ts';
import { quickFolder } from './support/quick-folder.ts';
import { type TestDatabase, testDatabase } from './support/test-database.ts';

const dayMs = 86_400_000;

let folder: string;
let database: TestDatabase;
let db: Database;
const clock = createFrozenClock(Date.UTC(2026, 10, 22, 9));
const host = createSimulatedHost();
const log = pino({ level: 'silent' });

beforeEach(async () => {
  folder = quickFolder('svc-buried-');
  database = await testDatabase(folder);
  db = await openDatabase(database.address);
});
afterAll(() => host.close());
afterEach(async () => {
  await db.destroy();
  await database.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** Opens the recordings of the process with the name `self`, which is also the name of the process's data folder. */
function openRecordings(self: string): Recordings {
  const blobs = createDiskBlobs(join(folder, 'blobs'));
  const newId = (): string => crypto.randomUUID();
  const own = join(folder, self, 'recordings');
  return createRecordings({ db, blobs, host, clock, newId, rules: defaultRules, log, folder: own, self });
}

const launch = (): Promise<HostedBrowser> =>
  host.launch({ sessionId: crypto.randomUUID(), screen: { width: 1280, height: 800 }, proxyCountryCode: null });

const fileIn = (self: string, id: string): string => join(folder, self, 'recordings', `${id}.webm`);

interface Left {
  readonly id: string;
  readonly ownerId: string;
}

/**
 * Records a browser and leaves its video unfinished, as a killed process does. The data folder stays locked, as if its
 * process still ran, until `die` is called.
 */
async function recordedBy(self: string, goesOn: boolean): Promise<Left & { die(): void }> {
  mkdirSync(join(folder, self), { recursive: true });
  const die = lockFolder(join(folder, self));
  const ownerId = crypto.randomUUID();
  const browser = await launch();
  openRecordings(self).record({ ownerId, browser, goesOn });
  const row = () => db.selectFrom('recordings').select('id').where('ownerId', '=', ownerId).executeTakeFirst();
  await expect.poll(row).toBeDefined();
  const id = String((await row())?.id);
  await expect.poll(() => statSync(fileIn(self, id), { throwIfNoEntry: false })?.size ?? 0).toBeGreaterThan(0);
  return { id, ownerId, die };
}

async function readStatus({ id }: Left): Promise<unknown> {
  return (await db.selectFrom('recordings').select('status').where('id', '=', id).executeTakeFirst())?.status;
}

/**
 * Waits until no recording of the owner is unfinished. Returns the first four bytes of a recording in hexadecimal, or
 * `nothing` if the recording cannot be read.
 */
async function playedFrom(recordings: Recordings, { id, ownerId }: Left): Promise<string> {
  await recordings.settled(ownerId);
  const found = await recordings.find(id);
  const bytes = found === null ? null : await recordings.read(found, { first: 0, last: 3 });
  return bytes === null ? 'nothing' : Buffer.concat(await bytes.toArray()).toString('hex');
}

/** First bytes of every WebM file, in hexadecimal. */
const webm = '1a45dfa3';

describe('what a dead process has recorded', () => {
  it.each([false, true])('is stored by the process that reclaims it; it would have continued: %s', async (goesOn) => {
    const left = await recordedBy('dead', goesOn);
    left.die();
    const living = openRecordings('living');
    await living.reclaim('dead');
    await living.reclaim('dead');
    expect(await playedFrom(living, left)).toBe(webm);
    expect(await readStatus(left)).toBe('ready');
    expect([existsSync(fileIn('dead', left.id)), existsSync(fileIn('living', left.id))]).toEqual([false, false]);
    // Another process can lock the dead process's folder.
    lockFolder(join(folder, 'dead'))();
    // The next video of the same owner is a new recording.
    const browser = await launch();
    await living.record({ ownerId: left.ownerId, browser, goesOn }).stop();
    await living.end(left.ownerId);
    await living.settled(left.ownerId);
    expect((await living.of(left.ownerId)).map(({ status }) => status)).toEqual(['ready', 'ready']);
  });

  it('is not what the next browser of its owner goes on with in another process', async () => {
    const left = await recordedBy('dead', true);
    const living = openRecordings('living');
    await living.record({ ownerId: left.ownerId, browser: await launch(), goesOn: true }).stop();
    await living.end(left.ownerId);
    await living.settled(left.ownerId);
    const statuses = async (): Promise<string[]> => (await living.of(left.ownerId)).map(({ status }) => status);
    expect(await statuses()).toEqual(expect.arrayContaining(['open', 'ready']));
    left.die();
    await living.reclaim('dead');
    await living.settled(left.ownerId);
    expect(await statuses()).toEqual(['ready', 'ready']);
  });

  it('is left alone while its process has its folder, which is slow and not dead', async () => {
    const left = await recordedBy('slow', false);
    const living = openRecordings('living');
    await living.reclaim('slow');
    expect([await playedFrom(living, left), await readStatus(left)]).toEqual(['nothing', 'open']);
    expect(existsSync(fileIn('slow', left.id))).toBe(true);
    left.die();
    await living.reclaim('slow');
    expect(await playedFrom(living, left)).toBe(webm);
  });

  it('stays for the next process on its folder when the folder is not reachable', async () => {
    const left = await recordedBy('far', false);
    left.die();
    renameSync(join(folder, 'far'), join(folder, 'away'));
    const living = openRecordings('living');
    await living.reclaim('far');
    expect([await playedFrom(living, left), await readStatus(left)]).toEqual(['nothing', 'open']);
    expect(existsSync(join(folder, 'far'))).toBe(false);
    renameSync(join(folder, 'away'), join(folder, 'far'));
    const returned = openRecordings('far');
    await returned.recover(async () => false, true);
    expect(await playedFrom(returned, left)).toBe(webm);
  });

  it('of another process is left alone', async () => {
    const left = await recordedBy('other', false);
    left.die();
    const living = openRecordings('living');
    await living.reclaim('dead');
    await living.reclaim('living');
    expect([await playedFrom(living, left), await readStatus(left)]).toEqual(['nothing', 'open']);
  });

  it('is waited for as long as recordings are kept, and no longer', async () => {
    const left = await recordedBy('lost', false);
    left.die();
    rmSync(join(folder, 'lost'), { recursive: true });
    const living = openRecordings('living');
    const keepAnother = async (): Promise<void> => {
      const ownerId = crypto.randomUUID();
      await living.record({ ownerId, browser: await launch(), goesOn: false }).stop();
      await living.settled(ownerId);
    };
    clock.advance(30 * dayMs);
    await keepAnother();
    expect(await readStatus(left)).toBe('open');
    clock.advance(dayMs);
    await keepAnother();
    expect(await readStatus(left)).toBe('none');
  });
});
