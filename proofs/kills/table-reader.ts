import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';

/** Returns the rows of a query to the tables of a service. */
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
