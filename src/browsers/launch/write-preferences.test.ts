import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type BrowserFolder, browserFolder, createBrowserFolder } from './browser-folder.ts';
import { writePreferences } from './write-preferences.ts';

let directory: string;
let folder: BrowserFolder;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-preferences-'));
  folder = browserFolder(directory, 'one');
  await createBrowserFolder(folder, null);
});
afterEach(() => rm(directory, { recursive: true }));

const file = (): string => join(folder.profile, 'Default', 'Preferences');
const written = async (): Promise<unknown> => JSON.parse(await readFile(file(), 'utf8'));

async function loaded(text: string): Promise<void> {
  await mkdir(join(folder.profile, 'Default'));
  await writeFile(file(), text);
}

test('a browser that shows no PDF files finds it in the preferences of its profile, which are its own', async () => {
  await writePreferences(folder, { uid: null, showsPdf: false });
  expect(await written()).toEqual({ plugins: { always_open_pdf_externally: true } });
  expect((await stat(file())).mode & 0o777).toBe(0o600);
});

test('a fresh browser that shows PDF files needs no preferences', async () => {
  await writePreferences(folder, { uid: null, showsPdf: true });
  await expect(stat(file())).rejects.toThrow('ENOENT');
});

test('a loaded profile keeps its preferences, but for what this browser does with PDF files', async () => {
  await loaded('{"profile":{"name":"kept"},"plugins":{"always_open_pdf_externally":true,"other":1}}');
  await writePreferences(folder, { uid: null, showsPdf: true });
  expect(await written()).toEqual({
    profile: { name: 'kept' },
    plugins: { always_open_pdf_externally: false, other: 1 },
  });
});

test('damaged preferences are as none', async () => {
  await loaded('{"profile":');
  await writePreferences(folder, { uid: null, showsPdf: false });
  expect(await written()).toEqual({ plugins: { always_open_pdf_externally: true } });
});
