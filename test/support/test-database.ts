import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { dropDatabase, makeDatabase } from './postgres/make-database.ts';
import { preparedFile } from './prepared-file.ts';

/** Location of a test service's data. */
export interface TestDatabase {
  /** Address for `openDatabase`. */
  readonly address: string;
  /**
   * Removes the database. Does nothing for a file in the data folder, and for a database that the caller has supplied.
   */
  remove(): Promise<void>;
}

/**
 * Name of an empty database to which all migrations were applied. New databases are copies of it, because a copy takes
 * less time than the migrations.
 */
export const preparedDatabase = 'svc_prepared';

/**
 * Returns the database for a data folder: a file in the folder, or a database of the PostgreSQL server in
 * `SVC_TEST_DATABASE`. Every service on the same folder gets the same database.
 */
export async function testDatabase(dataFolder: string): Promise<TestDatabase> {
  const server = process.env['SVC_TEST_DATABASE'];
  if (server === undefined) return { address: await databaseFile(dataFolder), remove: async () => undefined };
  const name = basename(dataFolder);
  return { address: await makeDatabase(server, name, preparedDatabase), remove: () => dropDatabase(server, name) };
}

/** Returns the database file of a data folder. Creates a missing file as a copy of the prepared file. */
async function databaseFile(dataFolder: string): Promise<string> {
  const file = join(dataFolder, 'svc.sqlite');
  if (existsSync(file)) return file;
  // The data folder may be missing, because usually the service creates it.
  await mkdir(dataFolder, { recursive: true });
  await writeFile(file, await preparedFile());
  return file;
}
