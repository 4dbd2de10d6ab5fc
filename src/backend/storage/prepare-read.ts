import type { Compilable } from 'kysely';
import type { Soon } from '#domain/soon.ts';
import type { Database } from './database.ts';
import { ReadingAdapter } from './node-sqlite-dialect.ts';
import type { SqliteReader } from './sqlite-reader.ts';

/** A query that is asked again and again: built and compiled once for each database, with one text to fill in. */
export type PreparedRead<Row> = (db: Database, text: string) => Soon<readonly Row[]>;

/**
 * Prepares a read for what clients poll, where building the query costs more than its answer. It sees what is committed when it is asked, and
 * waits for no transaction; inside of one ask as usual. `build` makes the query for a text, which has to be its only parameter.
 */
export function prepareRead<Row>(build: (db: Database, text: string) => Compilable<Row>): PreparedRead<Row> {
  const prepared = new WeakMap<Database, Prepared<Row>>();
  const prepare = (db: Database): Prepared<Row> => {
    const query = build(db, '').compile();
    if (query.parameters.length !== 1) throw new Error(`expected one parameter, found them in ${query.sql}`);
    const { adapter } = db.getExecutor();
    const made = { query, reader: adapter instanceof ReadingAdapter && !db.isTransaction ? adapter.reader : null };
    prepared.set(db, made);
    return made;
  };
  return (db, text) => {
    const { query, reader } = prepared.get(db) ?? prepare(db);
    if (reader === null) return rowsOf(db, { ...query, parameters: [text] });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the edge where rows of the database get the type of their query
    return reader.rows(query.sql, text) as readonly Row[];
  };
}

interface Prepared<Row> {
  readonly query: ReturnType<Compilable<Row>['compile']>;
  /** Null where it is read as everything else is. */
  readonly reader: SqliteReader | null;
}

async function rowsOf<Row>(db: Database, query: Prepared<Row>['query']): Promise<readonly Row[]> {
  return (await db.executeQuery<Row>(query)).rows;
}
