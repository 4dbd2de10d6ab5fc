import { SqliteAdapter, SqliteDialect } from 'kysely';
import { openNodeSqlite } from './node-sqlite.ts';
import type { SqliteReader } from './sqlite-reader.ts';

/** The SQLite of Node behind the query layer, with a reader beside the one connection that writes. */
export class NodeSqliteDialect extends SqliteDialect {
  readonly #adapter: ReadingAdapter;

  constructor(file: string) {
    const database = openNodeSqlite(file);
    super({ database });
    this.#adapter = new ReadingAdapter(database.reader);
  }

  override createAdapter(): ReadingAdapter {
    return this.#adapter;
  }
}

/** By it whoever has the query layer finds the reader. */
export class ReadingAdapter extends SqliteAdapter {
  readonly reader: SqliteReader;

  constructor(reader: SqliteReader) {
    super();
    this.reader = reader;
  }
}
