import { openDatabase } from '#store/open-database.ts';
import { makeDatabase } from './support/postgres/make-database.ts';
import { preparedDatabase } from './support/test-database.ts';
import { startPostgres } from './support/postgres/start-postgres.ts';

/** Starts one PostgreSQL for all tests of a run; each test that starts a service gets a database of its own. */
export async function setup(): Promise<() => Promise<void>> {
  const server = await startPostgres();
  await (await openDatabase(await makeDatabase(server.address, preparedDatabase))).destroy();
  // Inherited by the processes that run the tests.
  process.env['SVC_TEST_DATABASE'] = server.address;
  return () => server.remove();
}
