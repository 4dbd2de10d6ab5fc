import { chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';
import type { BrowserFolder } from './browser-folder.ts';
import { isMissing } from '#lib/system-errors.ts';

/** Options of {@link writePreferences}. */
export interface PreferenceOptions {
  /** User and group id of the browser, or null for the service's own. */
  readonly uid: number | null;
  /**
   * Whether the browser shows PDF files in a tab; false makes it download them. A Chromium without a PDF viewer always
   * downloads them.
   */
  readonly showsPdf: boolean;
}

/**
 * Writes Chromium's preferences file for the PDF setting, before the browser starts. Keeps other preferences of a
 * loaded profile. Writes no file if a new browser needs only the defaults.
 */
export async function writePreferences(
  { profile }: BrowserFolder,
  { uid, showsPdf }: PreferenceOptions,
): Promise<void> {
  const folder = join(profile, 'Default');
  const file = join(folder, 'Preferences');
  const known = await readPreferences(file);
  // The defaults of a new browser need no file.
  if (known === null && showsPdf) return;
  const plugins = { ...getObject(known?.['plugins']), always_open_pdf_externally: !showsPdf };
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(file, JSON.stringify({ ...known, plugins }), { mode: 0o600 });
  if (uid === null) return;
  for (const path of [folder, file]) await chown(path, uid, uid);
}

/** Reads a preferences file; returns null for a missing or damaged file. Chromium discards a damaged file too. */
async function readPreferences(file: string): Promise<JsonObject | null> {
  try {
    const value: JsonValue = JSON.parse(await readFile(file, 'utf8'));
    return isJsonObject(value) ? value : null;
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError) return null;
    throw error;
  }
}

function getObject(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
