import { link, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listUserData } from './user-data.ts';

const wide = { bytesMax: 1_000, filesMax: 10 };

let directory: string;
let folder: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-user-data-'));
  folder = join(directory, 'user-data');
  await mkdir(folder);
});
afterEach(() => rm(directory, { recursive: true }));

async function put(path: string, content = 'x'): Promise<void> {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
}

const listed = async (): Promise<string[]> => (await listUserData(folder, wide)).map(({ path }) => path).toSorted();

test('what sites keep is listed; caches, and what belongs to one process, are not', async () => {
  const kept = ['Default/Cookies', 'Default/IndexedDB/Cache/1.log', 'Local State'];
  const left = ['Default/Cache/data_0', 'Default/Code Cache/js/1', 'ShaderCache/1', 'DevToolsActivePort'];
  for (const path of [...kept, ...left]) await put(path);
  expect(await listed()).toEqual(kept);
});

test('the lock that a killed browser leaves is not listed, nor is anything that a link leads to', async () => {
  await put('Default/Cookies');
  await writeFile(join(directory, 'secret'), 'of somebody else');
  await mkdir(join(directory, 'others'));
  await writeFile(join(directory, 'others', 'secret'), 'x');
  await symlink('host-1234', join(folder, 'SingletonLock'));
  await symlink(join(directory, 'secret'), join(folder, 'Default', 'linked'));
  await symlink(join(directory, 'others'), join(folder, 'Default', 'folder'));
  await link(join(directory, 'secret'), join(folder, 'Default', 'second-name'));
  expect(await listed()).toEqual(['Default/Cookies']);
});

test('more bytes or files than the bounds are refused', async () => {
  await put('a', '123');
  await put('b/c', '456');
  expect(await listUserData(folder, { bytesMax: 6, filesMax: 2 })).toHaveLength(2);
  await expect(listUserData(folder, { bytesMax: 5, filesMax: 2 })).rejects.toThrow('found more than 5 bytes');
  await expect(listUserData(folder, { bytesMax: 6, filesMax: 1 })).rejects.toThrow('found more than 1 files');
});
