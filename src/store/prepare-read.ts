import type { Compilable } from 'kysely';
import type { Soon } from '#lib/maybe-promise.ts';
import type { Database } from './database.ts';
import { ReadingAdapter } from './node-sqlite-dialect.ts';
import { runQuery } from './run-query.ts';

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
