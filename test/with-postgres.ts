import { startPostgres } from './support/postgres/start-postgres.ts';

/** One PostgreSQL for all tests of a run: those that start a service give it a database of its own there. */
export async function setup(): Promise<() => Promise<void>> {
  const server = await startPostgres();
  // Inherited by the processes that run the tests.
  process.env['SVC_TEST_DATABASE'] = server.address;
  return () => server.remove();
}
