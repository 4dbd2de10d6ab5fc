import type { CompiledQuery, QueryResult } from 'kysely';
import type { Database } from './database.ts';
import { ReadingAdapter } from './node-sqlite-dialect.ts';

/**
 * Runs a compiled query. In a transaction of SQLite whose work goes on, the connection is its own and answers at once: there the query layer's way, of a
 * dozen promises, would take longer than most statements.
 */
export async function runQuery<Row>(db: Database, query: CompiledQuery<Row>): Promise<QueryResult<Row>> {
  const { adapter } = db.getExecutor();
  if (!(adapter instanceof ReadingAdapter && db.isTransaction && adapter.isInTransaction()))
    return db.executeQuery(query);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the edge where rows of the database get the type of their query
  return adapter.run(query) as QueryResult<Row>;
}
