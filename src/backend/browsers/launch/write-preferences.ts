import { chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserFolder } from './browser-folder.ts';

/** A Chromium with a PDF viewer saves PDF files like any other download then; one without a viewer always does. */
const PREFERENCES = { plugins: { always_open_pdf_externally: true } };

/** Writes the preferences of a browser before it is started for the first time. */
export async function writePreferences({ profile }: BrowserFolder, uid: number | null): Promise<void> {
  const folder = join(profile, 'Default');
  const file = join(folder, 'Preferences');
  await mkdir(folder, { mode: 0o700 });
  await writeFile(file, JSON.stringify(PREFERENCES), { mode: 0o600 });
  if (uid === null) return;
  for (const path of [folder, file]) await chown(path, uid, uid);
}
