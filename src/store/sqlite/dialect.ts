import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteDialect,
} from 'kysely';
import { type StorageDeadline, waitToTryAgain } from '../storage-deadline.ts';
import { type NodeSqlite, onlyReads, openNodeSqlite } from './node-sqlite.ts';
import type { SqliteReader } from './reader.ts';

/** What Kysely takes for a connection. It has the file's only writing connection during a statement or a transaction. */
interface Connection extends DatabaseConnection {
  /** Gives the writing connection to the next in line; null while this one does not have it. */
  release: (() => void) | null;
}

/**
 * Runs queries on the one connection that writes a SQLite file. SQLite itself never waits for a lock of another program, because that blocks
 * the event loop: a statement of its own waits here, and a transaction that cannot begin rejects with DatabaseLocked.
 */
function createSqliteDriver(database: NodeSqlite, patience: StorageDeadline): Driver {
  const connections = new WeakMap<DatabaseConnection, Connection>();
  const nextTurn = createTurns();
  const of = (known: DatabaseConnection): Connection => {
    const connection = connections.get(known);
    if (connection === undefined) throw new Error('found a connection of another driver');
    return connection;
  };
  return {
    init: async () => undefined,
    async acquireConnection() {
      const connection = createConnection({ database, storageDeadline: patience, nextTurn });
      connections.set(connection, connection);
      return connection;
    },
    async beginTransaction(known) {
      of(known).release ??= await nextTurn();
      // A roll-back that failed left it open.
      if (database.isInTransaction()) runOn(database, { sql: 'rollback', parameters: [] });
      runOn(database, { sql: 'begin immediate', parameters: [] });
    },
    async commitTransaction() {
      runOn(database, { sql: 'commit', parameters: [] });
    },
    async rollbackTransaction() {
      // SQLite rolls back by itself after some errors, a full disk among them.
      if (!database.isInTransaction()) return;
      try {
        runOn(database, { sql: 'rollback', parameters: [] });
      } catch {
        // The caller receives the original error. The next transaction rolls back before it begins.
      }
    },
    async releaseConnection(known) {
      const connection = of(known);
      connection.release?.();
      connection.release = null;
    },
    destroy: async () => database.close(),
  };
}

/** Runs a statement on the writing connection. Throws DatabaseLocked and StorageFull. */
function runOn(
  database: NodeSqlite,
  { sql, parameters }: Pick<CompiledQuery, 'sql' | 'parameters'>,
): QueryResult<never> {
  const statement = database.prepare(sql);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the edge where rows of the database get the type of their query
  if (statement.reader) return { rows: statement.all(parameters) as never[] };
  const { changes, lastInsertRowid } = statement.run(parameters);
  return { insertId: BigInt(lastInsertRowid), numAffectedRows: BigInt(changes), rows: [] };
}

interface ConnectionDeps {
  readonly database: NodeSqlite;
  readonly storageDeadline: StorageDeadline;
  readonly nextTurn: () => Promise<() => void>;
}

function createConnection({ database, storageDeadline: patience, nextTurn }: ConnectionDeps): Connection {
  const connection: Connection = {
    release: null,
    async executeQuery(query) {
      // A pragma changes the connection for what follows: it is kept until it is released.
      if (changesConnection(query.sql)) connection.release ??= await nextTurn();
      if (connection.release !== null) return runOn(database, query);
      for (;;) {
        try {
          return await alone(query);
        } catch (error) {
          await waitToTryAgain(patience, error);
        }
      }
    },
    // oxlint-disable-next-line require-yield -- Kysely asks for it, and nothing streams
    async *streamQuery() {
      throw new Error('rows cannot be streamed');
    },
  };
  /** Runs a statement outside a transaction. A read does not wait for pending writers. */
  const alone = async (query: CompiledQuery): Promise<QueryResult<never>> => {
    if (onlyReads(query.sql) && !database.isInTransaction()) return runOn(database, query);
    const release = await nextTurn();
    try {
      return runOn(database, query);
    } finally {
      release();
    }
  };
  return connection;
}

function changesConnection(sql: string): boolean {
  return /^pragma synchronous\b/i.test(sql);
}

/** Turns in the order in which they are asked for; each lasts until its function is called. */
function createTurns(): () => Promise<() => void> {
  let last: Promise<void> = Promise.resolve();
  return async () => {
    const before = last;
    const { promise, resolve } = Promise.withResolvers<void>();
    last = promise;
    await before;
    return resolve;
  };
}

/** The SQLite of Node behind the query layer, with a reader beside the one connection that writes. */
export class NodeSqliteDialect extends SqliteDialect {
  readonly #adapter: ReadingAdapter;
  readonly #database: NodeSqlite;
  readonly #patience: StorageDeadline;

  constructor(file: string, patience: StorageDeadline) {
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

/** Gives access to the layers below Kysely: the reader and the writing connection. */
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

  /** Runs a statement on the writing connection, even inside another transaction; like the driver itself. */
  run(query: Pick<CompiledQuery, 'sql' | 'parameters'>): QueryResult<unknown> {
    return runOn(this.#database, query);
  }
}
