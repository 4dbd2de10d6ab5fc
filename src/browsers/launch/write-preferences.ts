import { chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type JsonObject, type JsonValue, isJsonObject } from '#lib/json.ts';
import type { BrowserFolder } from './browser-folder.ts';
import { isMissing } from '../isolation/process-table.ts';

/** Options that the preferences of a browser depend on. */
export interface PreferenceOptions {
  /** User and group id of the browser, or null for the service's own. */
  readonly uid: number | null;
  /**
   * Whether a Chromium with a PDF viewer shows PDF files; otherwise it downloads them. A Chromium without a viewer
   * always downloads them.
   */
  readonly showsPdf: boolean;
}

/** Writes the preferences of a browser before its start. Other preferences of a loaded profile are kept. */
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

/**
 * Returns the preferences of a profile; null for missing or damaged preferences. Chromium discards damaged preferences
 * too.
 */
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
