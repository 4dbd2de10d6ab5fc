import { existsSync, readdirSync } from 'node:fs';
import { blobColumns } from '../../src/store/blobs/unreferenced-blobs.ts';
import type { TableReader } from './table-reader.ts';

/** Bytes that no row owns, and rows whose bytes are not there, in the folder of the bytes of a service that has ended; a sentence each. */
export async function looseFiles(folder: string, read: TableReader): Promise<string[]> {
  const keysOf = async ({ table, column }: { readonly table: string; readonly column: string }): Promise<string[]> =>
    (await read(`select "${column}" as found from "${table}" where "${column}" is not null`)).map(({ found }) =>
      String(found),
    );
  const owned = new Set((await Promise.all(blobColumns.map(keysOf))).flat());
  const loose = new Set(await keysOf({ table: 'loose_blobs', column: 'key' }));
  const files = new Set(existsSync(folder) ? readdirSync(folder) : []);
  return [
    ...Array.from(files)
      // One that is not complete has a dot before the name that it would have had.
      .filter((name) => !owned.has(name) && !loose.has(name.replace(/^\./, '')))
      .map((name) => `the bytes ${name} are nobody's`),
    ...Array.from(owned)
      .filter((key) => !files.has(key))
      .map((key) => `the bytes ${key} of a row are gone`),
  ];
}
