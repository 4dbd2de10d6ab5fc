import { existsSync, readdirSync } from 'node:fs';
import { blobColumns } from '#store/blobs/unreferenced-blobs.ts';
import type { TableReader } from './table-reader.ts';

/** Returns files without a row and rows without a file in the blob folder of a stopped service, one sentence each. */
export async function unreferencedBlobs(folder: string, read: TableReader): Promise<string[]> {
  const getKeys = async ({ table, column }: { readonly table: string; readonly column: string }): Promise<string[]> =>
    (await read(`select "${column}" as found from "${table}" where "${column}" is not null`)).map(({ found }) =>
      String(found),
    );
  const owned = new Set((await Promise.all(blobColumns.map(getKeys))).flat());
  const unreferenced = new Set(await getKeys({ table: 'loose_blobs', column: 'key' }));
  const files = new Set(existsSync(folder) ? readdirSync(folder) : []);
  return [
    ...Array.from(files)
      // The name of an incomplete file begins with a dot.
      .filter((name) => !owned.has(name) && !unreferenced.has(name.replace(/^\./, '')))
      .map((name) => `the bytes ${name} have no owner`),
    ...Array.from(owned)
      .filter((key) => !files.has(key))
      .map((key) => `the bytes ${key} of a row are gone`),
  ];
}
