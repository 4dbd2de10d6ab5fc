import { DatabaseSync, type StatementSync } from 'node:sqlite';

/** Reads a SQLite file beside whoever writes it: what is committed, without waiting for what is not. */
export interface SqliteReader {
  /** The rows of a statement with one parameter. */
  rows(sql: string, text: string): unknown[];
  close(): void;
}

/** A reader that opens the file when it is first asked: by then it is there, and has its tables. */
export function createSqliteReader(file: string): SqliteReader {
  const statements = new Map<string, StatementSync>();
  let opened: DatabaseSync | null = null;
  const prepared = (sql: string): StatementSync => {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    opened ??= new DatabaseSync(file, { readOnly: true, timeout: 5000 });
    const statement = opened.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  return {
    rows: (sql, text) => prepared(sql).all(text),
    close() {
      statements.clear();
      opened?.close();
      opened = null;
    },
  };
}
