import type { DatabaseSync } from 'node:sqlite';
import { createKeptAnswers } from './kept-answers.ts';
import { type ReadRows, readRows } from './read-rows.ts';
import type { SqliteReader } from './sqlite-reader.ts';

/**
 * A reader of what lives in memory, by the one connection that there is. As long as a transaction of that connection is open it would see what may be
 * taken back: what was answered before is given then, which is what is committed, and who asks for anything else has to wait.
 */
export function createMemoryReader(database: DatabaseSync): SqliteReader {
  const statements = new Map<string, ReadRows>();
  const answers = createKeptAnswers();
  const prepared = (sql: string): ReadRows => {
    const read = statements.get(sql) ?? readRows(database.prepare(sql));
    statements.set(sql, read);
    return read;
  };
  return {
    rows(sql, text) {
      const known = answers.get(sql, text);
      if (known !== undefined) return known;
      if (database.isTransaction) return null;
      if (answers.isFull()) answers.forget();
      return answers.keep(sql, text, prepared(sql)(text));
    },
    lookAgain() {
      // What is written in a transaction counts from its end.
      if (!database.isTransaction) answers.forget();
    },
    // Whoever opened the connection closes it.
    close: () => statements.clear(),
  };
}
