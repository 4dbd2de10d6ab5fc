import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { existsSync, readdirSync } from 'node:fs';
import { blobColumns } from '#store/blobs/unreferenced-blobs.ts';

/** A function that returns the rows of a query to the tables of a service. */
export type TableReader = (query: string) => Promise<Readonly<Record<string, unknown>>[]>;

/** Creates a reader of a SQLite database by the data folder. */
export function sqliteReader(dataFolder: string): TableReader {
  return async (query) => {
    const database = new DatabaseSync(join(dataFolder, 'svc.sqlite'), { readOnly: true });
    try {
      return database.prepare(query).all();
    } finally {
      database.close();
    }
  };
}

/** Creates a reader of a PostgreSQL database by its URL. */
export function postgresReader(address: string): TableReader {
  return async (query) => {
    const client = new Client({ connectionString: address });
    await client.connect();
    try {
      const { rows } = await client.query<Record<string, unknown>>(query);
      return rows;
    } finally {
      await client.end();
    }
  };
}

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
