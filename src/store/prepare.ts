import type { Compilable, CompiledQuery, Insertable, QueryResult } from 'kysely';
import type { Soon } from '#lib/maybe-promise.ts';
import type { Database } from './database.ts';
import type { Tables } from './schema.ts';
import { ReadingAdapter } from './sqlite/dialect.ts';
import { onlyReads } from './sqlite/node-sqlite.ts';
import { DatabaseLocked } from './storage-deadline.ts';

/**
 * Runs a compiled query. In a transaction of SQLite whose work goes on, the connection is its own and answers at once, and so it does to whoever
 * only reads while there is no transaction: the query layer's way, of a dozen promises, would take longer than most statements.
 */
export async function runQuery<Row>(db: Database, query: CompiledQuery<Row>): Promise<QueryResult<Row>> {
  const { adapter } = db.getExecutor();
  if (!(adapter instanceof ReadingAdapter && isAtOnce(adapter, db, query))) return db.executeQuery(query);
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the edge where rows of the database get the type of their query
    return adapter.run(query) as QueryResult<Row>;
  } catch (error) {
    // The driver waits until it can be read.
    if (error instanceof DatabaseLocked && !db.isTransaction) return db.executeQuery(query);
    throw error;
  }
}

/** A write of its own waits for its turn: whoever has the connection may be about to begin a transaction that does not wait for the disk. */
function isAtOnce(adapter: ReadingAdapter, { isTransaction }: Database, { sql }: CompiledQuery): boolean {
  return isTransaction ? adapter.isInTransaction() : !adapter.isInTransaction() && onlyReads(sql);
}

/** A query that is asked again and again, with values to fill in. */
export type PreparedQuery<Values, Row> = (db: Database, values: Values) => Promise<QueryResult<Row>>;

/** Stands for a value while a query is built. */
class Place {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/**
 * Prepares a query that is built and compiled once for each database, where that costs as much as its answer. `build` is given places to be
 * filled in instead of values: it may hand them on to the query, and look at none of them. Inside of a transaction as well as outside.
 */
export function prepareQuery<Values extends object, Row>(
  names: readonly string[],
  build: (db: Database, values: Values) => Compilable<Row>,
): PreparedQuery<Values, Row> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a query takes whatever it is given for a parameter
  const places = Object.fromEntries(names.map((name) => [name, new Place(name)])) as unknown as Values;
  const compiled = new WeakMap<object, CompiledQuery<Row>>();
  return (db, values) => {
    // One for the database and all of its transactions.
    const { adapter } = db.getExecutor();
    const query = compiled.get(adapter) ?? build(db, places).compile();
    compiled.set(adapter, query);
    const filled = new Map<string, unknown>(Object.entries(values));
    const parameters = query.parameters.map((one) => (one instanceof Place ? filled.get(one.name) : one));
    return runQuery(db, { ...query, parameters });
  };
}

/** The same for a query that names a list of words, as states are: they stand in it as they are, so that there is one for each list. */
export function prepareForWords<Values extends object, Row>(
  names: readonly string[],
  build: (db: Database, values: Values, words: readonly string[]) => Compilable<Row>,
): (db: Database, values: Values, words: readonly string[]) => Promise<QueryResult<Row>> {
  const prepared = new Map<string, PreparedQuery<Values, Row>>();
  return (db, values, words) => {
    const name = words.join(' ');
    const query = prepared.get(name) ?? prepareQuery<Values, Row>(names, (to, places) => build(to, places, words));
    prepared.set(name, query);
    return query(db, values);
  };
}

/** A query that is asked again and again: built and compiled once for each database, with one text to fill in. */
export type PreparedRead<Row> = (db: Database, text: string) => Soon<readonly Row[]>;

/**
 * Prepares a read for what clients poll, where building the query costs more than its answer. It sees what is committed when it is asked, and
 * waits for no transaction of a file; inside of one ask as usual. `build` makes the query for a text, which has to be its only parameter.
 */
export function prepareRead<Row>(build: (db: Database, text: string) => Compilable<Row>): PreparedRead<Row> {
  /** By database and all of its transactions. */
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

/** Writes rows of one table. */
export type InsertRow<Table extends keyof Tables> = (db: Database, row: Insertable<Tables[Table]>) => Promise<void>;

/** Rows of one table, by a statement that is built and compiled once for the columns that a row has. */
export function prepareInsert<Table extends keyof Tables>(table: Table): InsertRow<Table> {
  type Row = Insertable<Tables[Table]>;
  /** By columns: few, because rows of a table are made in few places. */
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
