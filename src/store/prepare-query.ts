import type { Compilable, CompiledQuery, QueryResult } from 'kysely';
import type { Database } from './database.ts';
import { runQuery } from './run-query.ts';

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
