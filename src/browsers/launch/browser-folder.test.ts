import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { browserFolder, createBrowserFolder, removeBrowserFolder } from './browser-folder.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-folder-'));
});
afterEach(() => rm(directory, { recursive: true }));

test('keeps the browser out of the folder that holds its owner file', async () => {
  const folder = browserFolder(directory, 'one');
  await createBrowserFolder(folder, null);
  const mode = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
  // As the service's own user, so that no other user needs access.
  for (const path of [folder.root, folder.uploads, folder.profile, folder.home, folder.temporary, folder.downloads])
    expect(await mode(path)).toBe(0o700);
  await expect(createBrowserFolder(folder, null)).rejects.toMatchObject({ code: 'EEXIST' });
  await removeBrowserFolder(folder);
  expect(await readdir(directory)).toEqual([]);
});

test('moves the temporary folder where the path of a socket in it would be too long', async () => {
  expect(browserFolder('/var/svc', 'a').temporary).toBe('/var/svc/a/tmp');
  const long = join(directory, 'x'.repeat(100));
  await mkdir(long);
  const folder = browserFolder(long, 'one');
  expect(folder.temporary).toMatch(/\/svc-[0-9a-f]{16}$/);
  expect(browserFolder(long, 'one')).toEqual(folder);
  expect(browserFolder(long, 'two').temporary).not.toBe(folder.temporary);
  await createBrowserFolder(folder, null);
  expect((await stat(folder.temporary)).isDirectory()).toBe(true);
  await removeBrowserFolder(folder);
  await expect(stat(folder.temporary)).rejects.toMatchObject({ code: 'ENOENT' });
});

test.each(['', '..', 'a/b', 'a b', 'x'.repeat(81)])('refuses the session id "%s"', (sessionId) => {
  expect(() => browserFolder(directory, sessionId)).toThrow(RangeError);
});
