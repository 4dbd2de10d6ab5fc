import { Client } from 'pg';
import { columnTypes, storableText } from './values.ts';

/** A column value that both databases support. */
export type ColumnValue = string | number | null;

/** A row of a table. */
export type Row = Readonly<Record<string, ColumnValue>>;

/** A consistent snapshot of a database. */
export interface PostgresReader {
  /** Returns the names of applied migrations, earliest first; empty for an unused database. */
  migrations(): Promise<string[]>;
  /** Yields all rows of a table in batches. */
  rows(table: string): AsyncGenerator<readonly Row[]>;
  /**
   * Returns the last generated id of a table; null for a table without generated ids, and if no id was generated yet.
   */
  latestNumber(table: string): Promise<number | null>;
}

const rowsAtOnce = 1_000;

/** Runs work with a reader of a database, in one read-only snapshot transaction. The transaction blocks no writer. */
export async function readPostgres(address: string, work: (reader: PostgresReader) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: address, types: columnTypes, application_name: 'svc backup' });
  await client.connect();
  try {
    await client.query('begin isolation level repeatable read read only');
    await work(createReader(client));
  } finally {
    await client.end();
  }
}

function createReader(client: Client): PostgresReader {
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

/** A database that is being filled. */
export interface PostgresWriter {
  /** Returns whether a table has no rows. */
  isEmpty(table: string): Promise<boolean>;
  /** Writes rows with identical columns; referenced tables must be written first. */
  write(table: string, rows: readonly Row[]): Promise<void>;
  /** Sets the sequence of a table so that the next generated id is `latest` plus 1. */
  numberBehind(table: string, latest: number): Promise<void>;
}

/** Maximum number of parameters in one statement, below PostgreSQL's limit of 65,535. */
const parametersMax = 60_000;

/**
 * Runs work that fills the tables of a migrated database, in one transaction. If the work rejects, nothing is written.
 */
export async function fillPostgres(address: string, work: (writer: PostgresWriter) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: address, application_name: 'svc restore' });
  await client.connect();
  try {
    await client.query('begin');
    await work(createWriter(client));
    await client.query('commit');
  } finally {
    await client.end();
  }
}

function createWriter(client: Client): PostgresWriter {
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

/** Returns the major version of a PostgreSQL server. Rejects when the connection or login fails. */
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
