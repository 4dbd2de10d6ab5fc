import type { CompiledQuery, QueryResult } from 'kysely';
import type { Database } from './database.ts';
import { ReadingAdapter } from './node-sqlite-dialect.ts';
import { onlyReads } from './node-sqlite.ts';
import { DatabaseLocked } from './storage-errors.ts';

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
