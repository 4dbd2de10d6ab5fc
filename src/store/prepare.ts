import type { Compilable, CompiledQuery, Insertable, QueryResult } from 'kysely';
import type { MaybePromise } from '#lib/maybe-promise.ts';
import type { Database } from './database.ts';
import type { Tables } from './schema.ts';
import { ReadingAdapter } from './sqlite/dialect.ts';
import { onlyReads } from './sqlite/node-sqlite.ts';
import { DatabaseLocked } from './storage-deadline.ts';

/**
 * Runs a compiled query. In an SQLite transaction, and for reads outside one, it calls the connection synchronously,
 * because Kysely's promise chain takes longer than most statements.
 */
export async function runQuery<Row>(db: Database, query: CompiledQuery<Row>): Promise<QueryResult<Row>> {
  const { adapter } = db.getExecutor();
  if (!(adapter instanceof ReadingAdapter && isAtOnce(adapter, db, query))) return db.executeQuery(query);
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the edge where rows of the database get the type of their query
    return adapter.run(query) as QueryResult<Row>;
  } catch (error) {
    // The driver waits until the database is readable.
    if (error instanceof DatabaseLocked && !db.isTransaction) return db.executeQuery(query);
    throw error;
  }
}

/**
 * Returns whether the statement can run synchronously. A single write waits for its turn: the current holder of the
 * connection may be about to start a transaction.
 */
function isAtOnce(adapter: ReadingAdapter, { isTransaction }: Database, { sql }: CompiledQuery): boolean {
  return isTransaction ? adapter.isInTransaction() : !adapter.isInTransaction() && onlyReads(sql);
}

/** A compiled query with parameters. */
export type PreparedQuery<Values, Row> = (db: Database, values: Values) => Promise<QueryResult<Row>>;

/** A placeholder for a parameter while a query is built. */
class Place {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/**
 * Prepares a query that is built and compiled once per database, because building costs as much as running it. `build`
 * receives placeholders in place of values; it may pass them to the query but not read them. Works inside and outside
 * transactions.
 */
export function prepareQuery<Values extends object, Row>(
  names: readonly string[],
  build: (db: Database, values: Values) => Compilable<Row>,
): PreparedQuery<Values, Row> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a query takes whatever it is given for a parameter
  const places = Object.fromEntries(names.map((name) => [name, new Place(name)])) as unknown as Values;
  const compiled = new WeakMap<object, CompiledQuery<Row>>();
  return (db, values) => {
    // Shared by the database and all its transactions.
    const { adapter } = db.getExecutor();
    const query = compiled.get(adapter) ?? build(db, places).compile();
    compiled.set(adapter, query);
    const filled = new Map<string, unknown>(Object.entries(values));
    const parameters = query.parameters.map((one) => (one instanceof Place ? filled.get(one.name) : one));
    return runQuery(db, { ...query, parameters });
  };
}

/**
 * Prepares a query with a list of words, such as states. The words are part of the SQL, so each list has its own query.
 */
export function prepareForWords<Word extends string, Values extends object, Row>(
  names: readonly string[],
  build: (db: Database, values: Values, words: readonly Word[]) => Compilable<Row>,
): (db: Database, values: Values, words: readonly Word[]) => Promise<QueryResult<Row>> {
  const prepared = new Map<string, PreparedQuery<Values, Row>>();
  return (db, values, words) => {
    const name = words.join(' ');
    const query = prepared.get(name) ?? prepareQuery<Values, Row>(names, (to, places) => build(to, places, words));
    prepared.set(name, query);
    return query(db, values);
  };
}

/** A compiled read query with one text parameter. */
export type PreparedRead<Row> = (db: Database, text: string) => MaybePromise<readonly Row[]>;

/**
 * Prepares a read for polled operations, where building the query costs more than running it. It reads committed data
 * without waiting for transactions of an SQLite file; inside a transaction use other queries. The text must be the only
 * parameter.
 */
export function prepareRead<Row>(build: (db: Database, text: string) => Compilable<Row>): PreparedRead<Row> {
  /** Compiled queries by database. */
  const compiled = new WeakMap<object, Query<Row>>();
  const prepare = (db: Database, adapter: object): Query<Row> => {
    const query = build(db, '').compile();
    if (query.parameters.length !== 1) throw new Error(`expected one parameter, found them in ${query.sql}`);
    compiled.set(adapter, query);
    return query;
  };
  return (db, text) => {
    const { adapter } = db.getExecutor();
    const query = compiled.get(adapter) ?? prepare(db, adapter);
    const rows = adapter instanceof ReadingAdapter && !db.isTransaction ? adapter.reader.rows(query.sql, text) : null;
    if (rows === null) return rowsOf(db, { ...query, parameters: [text] });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the edge where rows of the database get the type of their query
    return rows as readonly Row[];
  };
}

type Query<Row> = ReturnType<Compilable<Row>['compile']>;

async function rowsOf<Row>(db: Database, query: Query<Row>): Promise<readonly Row[]> {
  return (await runQuery(db, query)).rows;
}

/** Inserts a row into one table. */
export type InsertRow<Table extends keyof Tables> = (db: Database, row: Insertable<Tables[Table]>) => Promise<void>;

/** Prepares inserts into a table; statements are compiled once per set of columns. */
export function prepareInsert<Table extends keyof Tables>(table: Table): InsertRow<Table> {
  type Row = Insertable<Tables[Table]>;
  /** Statements by column names; few, because few places create rows of a table. */
  const statements = new Map<string, PreparedQuery<Row, unknown>>();
  return async (db, row) => {
    const columns = Object.entries(row).flatMap(([column, value]) => (value === undefined ? [] : [column]));
    const name = columns.join(' ');
    const statement =
      statements.get(name) ?? prepareQuery(columns, (to, values: Row) => to.insertInto(table).values(values));
    statements.set(name, statement);
    await statement(db, row);
  };
}
