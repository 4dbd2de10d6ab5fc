import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { browserFolder, createBrowserFolder } from './browser-folder.ts';
import { writePreferences } from './write-preferences.ts';

test('a browser that shows no PDF files finds it in the preferences of its profile, which are its own', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'svc-preferences-'));
  const folder = browserFolder(directory, 'one');
  await createBrowserFolder(folder, null);
  await writePreferences(folder, null);
  const file = join(folder.profile, 'Default', 'Preferences');
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ plugins: { always_open_pdf_externally: true } });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await rm(directory, { recursive: true });
});
