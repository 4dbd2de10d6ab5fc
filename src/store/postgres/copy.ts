import { Client } from 'pg';
import { columnTypes, storableText } from './values.ts';

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

const perMajor = 10_000;

/** The major version of the PostgreSQL at an address. Rejects when it cannot be reached or lets nobody in. */
export async function databaseVersion(address: string): Promise<number> {
  const client = new Client({ connectionString: address });
  await client.connect();
  try {
    const { rows } = await client.query<{ version: string }>("select current_setting('server_version_num') as version");
    return Math.floor(Number(rows[0]?.version) / perMajor);
  } finally {
    await client.end();
  }
}
