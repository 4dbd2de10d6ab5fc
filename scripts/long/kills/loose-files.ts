import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { blobColumns } from '../../../src/backend/storage/blob-columns.ts';

/** Bytes that no row owns, and rows whose bytes are not there, in the folder of a service that has ended; a sentence each. */
export function looseFiles(dataFolder: string): string[] {
  const database = new DatabaseSync(join(dataFolder, 'svc.sqlite'), { readOnly: true });
  try {
    const keysOf = (table: string, column: string): string[] =>
      database
        .prepare(`select "${column}" as key from "${table}" where "${column}" is not null`)
        .all()
        .map(({ key }) => String(key));
    const owned = new Set(blobColumns.flatMap(({ table, column }) => keysOf(table, column)));
    const loose = new Set(keysOf('loose_blobs', 'key'));
    const folder = join(dataFolder, 'blobs');
    const files = new Set(existsSync(folder) ? readdirSync(folder) : []);
    return [
      ...Array.from(files)
        .filter((name) => !owned.has(name) && !loose.has(name))
        .map((name) => `the bytes ${name} are nobody's`),
      ...Array.from(owned)
        .filter((key) => !files.has(key))
        .map((key) => `the bytes ${key} of a row are gone`),
    ];
  } finally {
    database.close();
  }
}
