import { type CompiledQuery, type Driver, type QueryResult, SqliteAdapter, SqliteDialect } from 'kysely';
import { type NodeSqlite, openNodeSqlite } from './node-sqlite.ts';
import type { Patience } from './patience.ts';
import { createSqliteDriver, runOn } from './sqlite-driver.ts';
import type { SqliteReader } from './sqlite-reader.ts';

/** The SQLite of Node behind the query layer, with a reader beside the one connection that writes. */
export class NodeSqliteDialect extends SqliteDialect {
  readonly #adapter: ReadingAdapter;
  readonly #database: NodeSqlite;
  readonly #patience: Patience;

  constructor(file: string, patience: Patience) {
    const database = openNodeSqlite(file);
    super({ database });
    this.#database = database;
    this.#adapter = new ReadingAdapter(database);
    this.#patience = patience;
  }

  override createDriver(): Driver {
    return createSqliteDriver(this.#database, this.#patience);
  }

  override createAdapter(): ReadingAdapter {
    return this.#adapter;
  }
}

/** By it whoever has the query layer finds what is below: the reader, and the connection that writes. */
export class ReadingAdapter extends SqliteAdapter {
  readonly reader: SqliteReader;
  readonly #database: NodeSqlite;

  constructor(database: NodeSqlite) {
    super();
    this.reader = database.reader;
    this.#database = database;
  }

  /** The driver itself keeps those that write in line. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }

  /** Whether the connection that writes has begun a transaction and not ended it. */
  isInTransaction(): boolean {
    return this.#database.isInTransaction();
  }

  /** Runs a statement on the connection that writes, whoever else uses it now; as the query layer's own driver does. */
  run(query: Pick<CompiledQuery, 'sql' | 'parameters'>): QueryResult<unknown> {
    return runOn(this.#database, query);
  }
}
