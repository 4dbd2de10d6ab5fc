import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { languagePacks } from './find-chromium.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-packs-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('a Chromium that keeps no packs has none to name', async () => {
  expect(await languagePacks(join(folder, 'chromium'))).toBeNull();
});

test('nor has one whose folder for them is empty', async () => {
  await mkdir(join(folder, 'locales'));
  expect(await languagePacks(join(folder, 'chromium'))).toBeNull();
});

test('the packs are the languages of the folder beside the binary, without their variants by gender', async () => {
  const locales = join(folder, 'locales');
  await mkdir(locales);
  const names = ['pt-BR.pak', 'de.pak', 'de_FEMININE.pak', 'de.pak.info', 'en-US.pak'];
  await Promise.all(names.map((name) => writeFile(join(locales, name), '')));
  expect(await languagePacks(join(folder, 'chromium'))).toEqual(['de', 'en-US', 'pt-BR']);
});

test('a folder that cannot be read is an error', async () => {
  await writeFile(join(folder, 'locales'), 'no folder');
  await expect(languagePacks(join(folder, 'chromium'))).rejects.toThrow('ENOTDIR');
});
