import type { Compilable } from 'kysely';
import type { Database } from './database.ts';
import { ReadingAdapter } from './node-sqlite-dialect.ts';

/** A query that is asked again and again: built and compiled once for each database, with one text to fill in. */
export type PreparedRead<Row> = (db: Database, text: string) => Promise<Row[]>;

/**
 * Prepares a read for what clients poll, where building the query costs more than its answer. It sees what is committed when it is asked, and
 * waits for no transaction; inside of one ask as usual. `build` makes the query for a text, which has to be its only parameter.
 */
export function prepareRead<Row>(build: (db: Database, text: string) => Compilable<Row>): PreparedRead<Row> {
  const compiled = new WeakMap<Database, ReturnType<Compilable<Row>['compile']>>();
  return async (db, text) => {
    const query = compiled.get(db) ?? build(db, '').compile();
    if (query.parameters.length !== 1) throw new Error(`expected one parameter, found them in ${query.sql}`);
    compiled.set(db, query);
    const { adapter } = db.getExecutor();
    const reader = adapter instanceof ReadingAdapter && !db.isTransaction ? adapter.reader : null;
    if (reader === null) return (await db.executeQuery<Row>({ ...query, parameters: [text] })).rows;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the edge where rows of the database get the type of their query
    return reader.rows(query.sql, text) as Row[];
  };
}
