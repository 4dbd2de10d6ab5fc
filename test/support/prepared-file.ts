import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase } from '#store/open-database.ts';
import { quickFolder } from './quick-folder.ts';

let bytes: Promise<Buffer> | undefined;

/**
 * Returns the bytes of an empty SQLite file to which all migrations were applied. The file is created once per test
 * process, because migrations take half of the start of a service.
 */
export function preparedFile(): Promise<Buffer> {
  bytes ??= make();
  return bytes;
}

async function make(): Promise<Buffer> {
  const folder = quickFolder('svc-prepared-');
  try {
    const file = join(folder, 'svc.sqlite');
    // Closing the database merges its write-ahead log into the file.
    await (await openDatabase(file)).destroy();
    return await readFile(file);
  } finally {
    await rm(folder, { recursive: true });
  }
}
