import { readFile, rename, writeFile } from 'node:fs/promises';
import { isJsonObject, type JsonValue } from '#lib/json.ts';
import { isMissing } from './is-missing.ts';
import type { ProcessMark } from './process-table.ts';

/** Who a browser folder belongs to. */
export interface FolderOwner {
  /** The service that created the folder. */
  readonly service: ProcessMark;
  /** The browser's main process, or null before it was started. */
  readonly browser: ProcessMark | null;
}

/** Records the owner; the file appears whole or not at all. */
export async function writeOwner(path: string, owner: FolderOwner): Promise<void> {
  await writeFile(`${path}.new`, JSON.stringify(owner), { mode: 0o600 });
  await rename(`${path}.new`, path);
}

/** Reads the owner; null when the folder has none or the file is not one of ours. */
export async function readOwner(path: string): Promise<FolderOwner | null> {
  let value: JsonValue;
  try {
    value = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    // A text that is no JSON was cut off by a power failure; it proves nothing, so it must not get anything killed.
    if (isMissing(error) || error instanceof SyntaxError) return null;
    throw error;
  }
  if (!isJsonObject(value)) return null;
  const service = markFrom(value['service']);
  return service === null ? null : { service, browser: markFrom(value['browser']) };
}

function markFrom(value: JsonValue | undefined): ProcessMark | null {
  if (!isJsonObject(value)) return null;
  const { pid, startTicks } = value;
  return typeof pid === 'number' && typeof startTicks === 'number' ? { pid, startTicks } : null;
}
