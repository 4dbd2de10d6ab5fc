import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type BrowserFolder, browserFolder, createBrowserFolder } from '../launch/browser-folder.ts';
import { writeOwner } from '../launch/folder-owner.ts';
import { createLocalHost } from '../local-host.ts';
import { type MemoryProfile, memoryProfile } from '../testing/memory-profile.ts';
import { probeOnce } from '../testing/probe-once.ts';
import { createRecordingLog } from '../testing/recording-log.ts';
import type { BrowserProfile } from './browser-profile.ts';
import { writeProfileMark } from './profile-keeper.ts';
import { readArchive } from './archive.ts';

const carried = { cookies: [{ name: 'session', value: 'x', domain: 'shop.example', session: true }], permissions: [] };

let directory: string;
let folder: BrowserFolder;
let profile: MemoryProfile;

/**
 * Creates the folder that a browser leaves when its service is killed. Its owner file names this process with another
 * start time, so the owner counts as ended.
 */
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-rescue-'));
  profile = memoryProfile();
  folder = browserFolder(directory, 'left');
  await createBrowserFolder(folder, null);
  await writeOwner(folder.ownerFile, { service: { pid: process.pid, startTicks: 1 }, browser: null });
  await mkdir(join(folder.profile, 'Default'));
  await writeFile(join(folder.profile, 'Default', 'Cookies'), 'cookies');
});
afterEach(() => rm(directory, { recursive: true }));

const mark = (): Promise<void> => writeProfileMark(folder.profileMark, { profileId: 'mine', carried });

/**
 * Starts a host on the test folder, which saves the profiles of orphaned browsers, and closes the host. Returns the ids
 * of the profiles that the host requested.
 */
async function rescued(found: BrowserProfile | null = profile): Promise<string[]> {
  const host = await createLocalHost({ directory, log: createRecordingLog(), probe: probeOnce });
  const asked: string[] = [];
  await host.rescue(async (id) => {
    asked.push(id);
    return found;
  });
  await host.close();
  return asked;
}

/** Unpacks the last saved archive of the test profile. Returns the names of its files and its carried state. */
async function kept(): Promise<{ files: string[]; carries: unknown }> {
  const archive = await profile.load();
  if (archive === null) throw new Error('nothing was kept');
  const target = await mkdtemp(join(directory, 'unpacked-'));
  const carries = await readArchive(archive, { folder: target, uid: null });
  const files = await readdir(target, { recursive: true });
  return { files, carries };
}

test('the user data of a browser with a profile are kept with what it was given beside them, and its folder goes', async () => {
  await mark();
  expect(await rescued()).toEqual(['mine']);
  expect(await readdir(directory)).toEqual([]);
  expect(await kept()).toEqual({ files: ['Default', 'Default/Cookies'], carries: carried });
  expect(profile.domains()).toBeNull();
  expect(await rescued()).toEqual([]);
});

test('they are kept when the service was killed while it kept them', async () => {
  await mark();
  await mkdir(folder.kept);
  await rename(folder.profile, join(folder.kept, 'user-data'));
  await writeFile(join(folder.kept, 'archive'), 'half of an arch');
  await rescued();
  expect((await kept()).files).toContain('Default/Cookies');
});

test('nothing is kept for a profile that is no more, nor of a browser whose profile was not loaded to its end', async () => {
  expect(await rescued()).toEqual([]);
  expect(await readdir(directory)).toEqual([]);
  await createBrowserFolder(folder, null);
  await writeOwner(folder.ownerFile, { service: { pid: process.pid, startTicks: 1 }, browser: null });
  await mark();
  expect(await rescued(null)).toEqual(['mine']);
  expect(await readdir(directory)).toEqual([]);
  expect(profile.size()).toBe(0);
});

test('what cannot be kept goes too: at a later start it could replace what was kept since', async () => {
  await mark();
  const full = { ...profile, keep: () => Promise.reject(new Error('the store is full')) };
  expect(await rescued(full)).toEqual(['mine']);
  expect(await readdir(directory)).toEqual([]);
});

test('what belongs to a profile that cannot be read stays for the next start', async () => {
  await mark();
  const host = await createLocalHost({ directory, log: createRecordingLog(), probe: probeOnce });
  const silent = host.rescue(async () => Promise.reject(new Error('the database does not answer')));
  await expect(silent).rejects.toThrow('the database does not answer');
  await host.close();
  expect(await rescued(profile)).toEqual(['mine']);
  expect(await readdir(directory)).toEqual([]);
});
