import type { Compilable, CompiledQuery, Insertable, QueryResult } from 'kysely';
import type { MaybePromise } from '#lib/maybe-promise.ts';
import type { Tables } from './tables/tables.ts';
import { sqliteAccess } from './sqlite/dialect.ts';
import type { Executor } from './executor.ts';

/** Runs a compiled query; on SQLite without waiting for an event-loop tick, if `runAtOnce` can run it. */
export async function runQuery<Row>(db: Executor, query: CompiledQuery<Row>): Promise<QueryResult<Row>> {
  const result = sqliteAccess(db)?.runAtOnce(query, db.isTransaction) ?? null;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the edge where rows of the database get the type of their query
  return result === null ? db.executeQuery(query) : (result as QueryResult<Row>);
}

/** A statement that is compiled once per database, with parameters by name. */
export interface PreparedStatement<Values, Row> {
  /** Runs the statement on the writing connection: inside a transaction it sees the transaction's writes. */
  run(db: Executor, values: Values): Promise<QueryResult<Row>>;
  /**
   * Outside a transaction, reads committed data; on a SQLite file usually without waiting for an open transaction.
   * Inside a transaction, reads through that transaction. On SQLite outside a transaction, throws for a query whose
   * parameters are not a single text. Callers must not change the rows, which may be shared and frozen.
   */
  read(db: Executor, values: Values): MaybePromise<readonly Row[]>;
}

/** Placeholder for the value of a named parameter while a query is built. */
class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/**
 * Creates a statement that is built and compiled once per database, because building costs as much as running. `build`
 * receives placeholders instead of the named values, so it may pass them to the query but not read them.
 */
export function prepared<Values extends object, Row>(
  names: readonly (keyof Values & string)[],
  build: (db: Executor, values: Values) => Compilable<Row>,
): PreparedStatement<Values, Row> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a query takes any value for a parameter
  const placeholders = Object.fromEntries(names.map((name) => [name, new Placeholder(name)])) as unknown as Values;
  // Shared by the database and all its transactions.
  const compiled = new WeakMap<object, CompiledQuery<Row>>();
  const compile = (db: Executor): CompiledQuery<Row> => {
    const { adapter } = db.getExecutor();
    const query = compiled.get(adapter) ?? build(db, placeholders).compile();
    compiled.set(adapter, query);
    return query;
  };
  const run = (db: Executor, values: Values): Promise<QueryResult<Row>> => {
    const query = compile(db);
    return runQuery(db, { ...query, parameters: query.parameters.map((one) => resolveValue(one, values)) });
  };
  return {
    run,
    read(db, values) {
      const sqlite = sqliteAccess(db);
      if (sqlite === null || db.isTransaction) return readRows(run(db, values));
      const query = compile(db);
      const rows = sqlite.readCommitted(query.sql, onlyText(query, values));
      if (rows === null) return readRows(run(db, values));
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the edge where rows of the database get the type of their query
      return rows as readonly Row[];
    },
  };
}

function resolveValue(parameter: unknown, values: object): unknown {
  return parameter instanceof Placeholder ? Reflect.get(values, parameter.name) : parameter;
}

function onlyText({ sql, parameters }: CompiledQuery, values: object): string {
  const value = parameters.length === 1 ? resolveValue(parameters[0], values) : undefined;
  if (typeof value !== 'string') throw new Error(`expected one text parameter, found other parameters in ${sql}`);
  return value;
}

async function readRows<Row>(result: Promise<QueryResult<Row>>): Promise<readonly Row[]> {
  return (await result).rows;
}

/**
 * Returns a function that prepares one statement for each distinct list of words, and caches it without a limit. The
 * words, such as states or columns, become part of the SQL. Suitable only if few different lists occur.
 */
export function preparedBy<Word extends string, Values, Row>(
  prepare: (words: readonly Word[]) => PreparedStatement<Values, Row>,
): (words: readonly Word[]) => PreparedStatement<Values, Row> {
  const statements = new Map<string, PreparedStatement<Values, Row>>();
  return (words) => {
    const name = words.join(' ');
    const statement = statements.get(name) ?? prepare(words);
    statements.set(name, statement);
    return statement;
  };
}

/** Returns the names of the members of a row that are not undefined. */
export function presentColumns<Row extends object>(row: Row): (keyof Row & string)[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of an object are keys of its type
  return Object.keys(row).filter((name) => Reflect.get(row, name) !== undefined) as (keyof Row & string)[];
}

/** Function that inserts a row into one table. */
export type InsertRow<Table extends keyof Tables> = (db: Executor, row: Insertable<Tables[Table]>) => Promise<void>;

/** Returns a function that inserts rows into a table, with one prepared statement for each set of columns. */
export function preparedInsert<Table extends keyof Tables>(table: Table): InsertRow<Table> {
  type Row = Insertable<Tables[Table]>;
  const insert = preparedBy((columns: readonly (keyof Row & string)[]) =>
    prepared<Row, unknown>(columns, (db, row) => db.insertInto(table).values(row)),
  );
  return async (db, row) => {
    await insert(presentColumns(row)).run(db, row);
  };
}
