import { type CompiledQuery, type QueryResult, SqliteAdapter, SqliteDialect } from 'kysely';
import { type NodeSqlite, openNodeSqlite } from './node-sqlite.ts';
import type { SqliteReader } from './sqlite-reader.ts';

/** The SQLite of Node behind the query layer, with a reader beside the one connection that writes. */
export class NodeSqliteDialect extends SqliteDialect {
  readonly #adapter: ReadingAdapter;

  constructor(file: string) {
    const database = openNodeSqlite(file);
    super({ database });
    this.#adapter = new ReadingAdapter(database);
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

  /** Whether the connection that writes has begun a transaction and not ended it. */
  isInTransaction(): boolean {
    return this.#database.isInTransaction();
  }

  /** Runs a statement on the connection that writes, whoever else uses it now; as the query layer's own driver does. */
  run({ sql, parameters }: Pick<CompiledQuery, 'sql' | 'parameters'>): QueryResult<unknown> {
    const statement = this.#database.prepare(sql);
    if (statement.reader) return { rows: statement.all(parameters) };
    const { changes, lastInsertRowid } = statement.run(parameters);
    return { insertId: BigInt(lastInsertRowid), numAffectedRows: BigInt(changes), rows: [] };
  }
}
