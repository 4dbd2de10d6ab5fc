import { readFile, rename, writeFile } from 'node:fs/promises';
import { isJsonObject, type JsonValue } from '#lib/json.ts';
import { isMissing } from '#lib/system-errors.ts';
import type { ProcessMark } from '../isolation/process-table.ts';

/** Owner of a browser folder. */
export interface FolderOwner {
  /** The service that created the folder. */
  readonly service: ProcessMark;
  /** The browser's main process; null until it is started, or if the kernel provides no process mark. */
  readonly browser: ProcessMark | null;
}

/** Writes the owner file atomically. */
export async function writeOwner(path: string, owner: FolderOwner): Promise<void> {
  await writeFile(`${path}.new`, JSON.stringify(owner), { mode: 0o600 });
  await rename(`${path}.new`, path);
}

/** Reads the owner file of a browser folder; returns null when the file is missing or invalid. */
export async function readOwner(path: string): Promise<FolderOwner | null> {
  let value: JsonValue;
  try {
    value = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    // An invalid file was truncated by a power failure. Such a file identifies no process, so no process may be killed.
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
