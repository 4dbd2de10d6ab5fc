import { openDatabase } from '#store/open-database.ts';
import { makeDatabase } from './support/postgres/make-database.ts';
import { preparedDatabase } from './support/test-database.ts';
import { startPostgres } from './support/postgres/start-postgres.ts';

/** Starts one PostgreSQL server for all tests of a run. Each test that starts a service gets a separate database. */
export async function setup(): Promise<() => Promise<void>> {
  const server = await startPostgres();
  await (await openDatabase(await makeDatabase(server.address, preparedDatabase))).destroy();
  // The processes that run the tests inherit this variable.
  process.env['SVC_TEST_DATABASE'] = server.address;
  return () => server.remove();
}
