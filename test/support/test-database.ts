import { basename, join } from 'node:path';
import { dropDatabase, makeDatabase } from './postgres/make-database.ts';

/** Where the state of a test's service is. */
export interface TestDatabase {
  /** As `openDatabase` takes it. */
  readonly address: string;
  /** Removes it, as far as it is not in the data folder. */
  remove(): Promise<void>;
}

/** A database whose tables are up to date, which others are made of: bringing them up to date takes longer than a copy. */
export const preparedDatabase = 'svc_prepared';

/** A database for a data folder, the same one for each of its services: a file in it, or one of the PostgreSQL that `SVC_TEST_DATABASE` names. */
export async function testDatabase(dataFolder: string): Promise<TestDatabase> {
  const server = process.env['SVC_TEST_DATABASE'];
  if (server === undefined) return { address: join(dataFolder, 'svc.sqlite'), remove: async () => undefined };
  const name = basename(dataFolder);
  return { address: await makeDatabase(server, name, preparedDatabase), remove: () => dropDatabase(server, name) };
}
