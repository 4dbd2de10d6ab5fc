import { SqliteAdapter, SqliteDialect } from 'kysely';
import { openNodeSqlite } from './node-sqlite.ts';
import { type SqliteReader, createSqliteReader } from './sqlite-reader.ts';

/** The SQLite of Node behind the query layer, with a reader beside the one connection that writes. */
export class NodeSqliteDialect extends SqliteDialect {
  readonly #adapter: ReadingAdapter;

  constructor(file: string) {
    // What lives in memory is one connection's alone.
    const reader = file === ':memory:' ? null : createSqliteReader(file);
    const database = openNodeSqlite(file, () => reader?.lookAgain());
    const close = (): void => {
      reader?.close();
      database.close();
    };
    super({ database: { ...database, close } });
    this.#adapter = new ReadingAdapter(reader);
  }

  override createAdapter(): ReadingAdapter {
    return this.#adapter;
  }
}

/** By it whoever has the query layer finds the reader. */
export class ReadingAdapter extends SqliteAdapter {
  /** Null where everything is read by the connection that writes. */
  readonly reader: SqliteReader | null;

  constructor(reader: SqliteReader | null) {
    super();
    this.reader = reader;
  }
}
