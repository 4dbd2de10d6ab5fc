import { Client } from 'pg';
import { columnTypes } from './column-types.ts';

/** A value as both databases have it. */
export type ColumnValue = string | number | null;

/** A row of a table. */
export type Row = Readonly<Record<string, ColumnValue>>;

/** A database as it was at one moment. */
export interface PostgresReader {
  /** Names of the migrations that made its tables, the earliest first; none where no service has used it. */
  migrations(): Promise<string[]>;
  /** All rows of a table, some at a time. */
  rows(table: string): AsyncGenerator<readonly Row[]>;
  /** The last number that was given to a row of a table; null where none was, or its rows are not numbered. */
  latestNumber(table: string): Promise<number | null>;
}

const rowsAtOnce = 1_000;

/** Reads a database in one transaction, which sees nothing of what is written meanwhile and holds nobody up. */
export async function readPostgres(address: string, work: (reader: PostgresReader) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: address, types: columnTypes, application_name: 'svc backup' });
  await client.connect();
  try {
    await client.query('begin isolation level repeatable read read only');
    await work(readerOf(client));
  } finally {
    await client.end();
  }
}

function readerOf(client: Client): PostgresReader {
  return {
    async migrations() {
      const { rows: known } = await client.query("select from pg_tables where tablename = 'kysely_migration'");
      if (known.length === 0) return [];
      const { rows } = await client.query<{ name: string }>('select name from kysely_migration order by name');
      return rows.map(({ name }) => name);
    },
    async *rows(table) {
      await client.query(`declare read_rows no scroll cursor for select * from "${table}"`);
      for (;;) {
        const { rows } = await client.query<Record<string, ColumnValue>>(`fetch ${rowsAtOnce} from read_rows`);
        if (rows.length === 0) break;
        yield rows;
      }
      await client.query('close read_rows');
    },
    async latestNumber(table) {
      const numbered = await client.query(
        `select from pg_attribute where attrelid = $1::regclass and attname = 'id' and attidentity <> ''`,
        [`"${table}"`],
      );
      if (numbered.rowCount === 0) return null;
      const { rows } = await client.query<{ latest: number | null }>(
        `select pg_sequence_last_value(pg_get_serial_sequence($1, 'id')) as latest`,
        [`"${table}"`],
      );
      return rows[0]?.latest ?? null;
    },
  };
}
