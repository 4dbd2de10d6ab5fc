import { Client } from 'pg';
import type { ColumnValue, Row } from './read-postgres.ts';
import { storableText } from './text-values.ts';

/** A database that is filled. */
export interface PostgresWriter {
  /** Whether a table has no rows. */
  isEmpty(table: string): Promise<boolean>;
  /** Writes rows, which all have the same columns; tables that they refer to come first. */
  write(table: string, rows: readonly Row[]): Promise<void>;
  /** The numbers of a table's rows go on behind that one. */
  numberBehind(table: string, latest: number): Promise<void>;
}

/** PostgreSQL takes 65,535 parameters in a statement. */
const parametersMax = 60_000;

/** Fills a database whose tables are there, in one transaction: all of it or nothing. */
export async function fillPostgres(address: string, work: (writer: PostgresWriter) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: address, application_name: 'svc restore' });
  await client.connect();
  try {
    await client.query('begin');
    await work(writerOf(client));
    await client.query('commit');
  } finally {
    await client.end();
  }
}

function writerOf(client: Client): PostgresWriter {
  return {
    async isEmpty(table) {
      const { rowCount } = await client.query(`select from "${table}" limit 1`);
      return rowCount === 0;
    },
    async write(table, rows) {
      const columns = Object.keys(rows[0] ?? {});
      const atOnce = Math.max(Math.floor(parametersMax / Math.max(columns.length, 1)), 1);
      for (let from = 0; from < rows.length; from += atOnce)
        await client.query(...insertion(table, columns, rows.slice(from, from + atOnce)));
    },
    async numberBehind(table, latest) {
      await client.query(`select setval(pg_get_serial_sequence($1, 'id'), $2)`, [`"${table}"`, latest]);
    },
  };
}

function insertion(table: string, columns: readonly string[], rows: readonly Row[]): [string, ColumnValue[]] {
  const places = rows.map(
    (_row, at) => `(${columns.map((_column, place) => `$${at * columns.length + place + 1}`).join()})`,
  );
  const values = rows.flatMap((row) => columns.map((name) => storable(row[name] ?? null)));
  const named = columns.map((name) => `"${name}"`).join();
  return [`insert into "${table}" (${named}) values ${places.join()}`, values];
}

function storable(value: ColumnValue): ColumnValue {
  return typeof value === 'string' ? storableText(value) : value;
}
