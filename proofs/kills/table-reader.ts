import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';

/** Answers the rows of a query to the tables of a service, beside it. */
export type TableReader = (query: string) => Promise<Readonly<Record<string, unknown>>[]>;

/** Reads the tables of a service on SQLite, by its data folder. */
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

/** Reads the tables of a service on PostgreSQL, by the address of its database. */
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
