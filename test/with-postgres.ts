import type { TestProject } from 'vitest/node';
import { openDatabase } from '#store/open-database.ts';
import { makeDatabase } from './support/postgres/make-database.ts';
import { preparedDatabase } from './support/test-database.ts';
import { startPostgres } from './support/postgres/start-postgres.ts';

/** Starts one PostgreSQL for all tests of a run; each test that starts a service gets a database of its own. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres();
  await (await openDatabase(await makeDatabase(server.address, preparedDatabase))).destroy();
  project.provide('postgres', server.address);
  return () => server.remove();
}

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the PostgreSQL server. */
    readonly postgres: string;
  }
}
