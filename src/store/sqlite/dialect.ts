import {
  type CompiledQuery,
  type DatabaseConnection,
  type DatabaseIntrospector,
  type Driver,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteDialect,
  SqliteQueryCompiler,
} from 'kysely';
import { columnName, columnNames } from '../column-names.ts';
import { DatabaseLocked, type StorageDeadline, waitToTryAgain } from '../storage-deadline.ts';
import { type NodeSqlite, onlyReads, openNodeSqlite } from './node-sqlite.ts';
import type { Rows } from './reader.ts';

/** A connection of Kysely. It holds the file's only writing connection during a statement or a transaction. */
interface Connection extends DatabaseConnection {
  /**
   * Ends the use of the writing connection, so that the next waiting caller gets it; null while this connection does
   * not use it.
   */
  release: (() => void) | null;
}

/**
 * Creates the Kysely driver for the writing connection of a SQLite file. SQLite never waits for a lock of another
 * program, because that would block the event loop. Instead, a single statement waits in this driver, and a transaction
 * that cannot begin rejects with DatabaseLocked.
 */
function createSqliteDriver(database: NodeSqlite, storageDeadline: StorageDeadline): Driver {
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
      const connection = createConnection({ database, storageDeadline, nextTurn });
      connections.set(connection, connection);
      return connection;
    },
    async beginTransaction(known) {
      of(known).release ??= await nextTurn();
      // A failed rollback has left the previous transaction open.
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

function createConnection({ database, storageDeadline, nextTurn }: ConnectionDeps): Connection {
  const connection: Connection = {
    release: null,
    async executeQuery(query) {
      // A pragma changes the writing connection for later statements, so the connection is held until its release.
      if (changesConnection(query.sql)) connection.release ??= await nextTurn();
      if (connection.release !== null) return runOn(database, query);
      for (;;) {
        try {
          return await alone(query);
        } catch (error) {
          await waitToTryAgain(storageDeadline, error);
        }
      }
    },
    // oxlint-disable-next-line require-yield -- Kysely requires it, and the service streams no rows
    async *streamQuery() {
      throw new Error('rows cannot be streamed');
    },
  };
  /** Runs a statement outside a transaction. A read does not wait for pending writers, unless a transaction is open. */
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

/**
 * Creates a queue that grants turns in the order of requests. Each request resolves with the function that ends its
 * turn.
 */
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

/** Query compiler that converts the member names of rows to column names. */
class MemberCompiler extends SqliteQueryCompiler {
  protected override sanitizeIdentifier(identifier: string): string {
    return super.sanitizeIdentifier(columnName(identifier));
  }
}

/** Kysely's dialect for the SQLite of Node, with a reader beside the writing connection. */
export class NodeSqliteDialect extends SqliteDialect {
  readonly #adapter: SqliteAccess;
  readonly #database: NodeSqlite;
  readonly #storageDeadline: StorageDeadline;

  constructor(file: string, storageDeadline: StorageDeadline) {
    const database = openNodeSqlite(file);
    super({ database });
    this.#database = database;
    this.#adapter = new SqliteAccess(database);
    this.#storageDeadline = storageDeadline;
  }

  override createDriver(): Driver {
    return createSqliteDriver(this.#database, this.#storageDeadline);
  }

  override createQueryCompiler(): SqliteQueryCompiler {
    return new MemberCompiler();
  }

  override createIntrospector(db: Kysely<unknown>): DatabaseIntrospector {
    return super.createIntrospector(db.withPlugin(columnNames));
  }

  override createAdapter(): SqliteAccess {
    return this.#adapter;
  }
}

/**
 * Access to SQLite beside the query builder: statements that run synchronously, cached reads, and the state of the open
 * transaction. Kysely holds this object as the adapter of the database and of its transactions.
 */
export class SqliteAccess extends SqliteAdapter {
  readonly #database: NodeSqlite;

  constructor(database: NodeSqlite) {
    super();
    this.#database = database;
  }

  /** True, so that Kysely does not serialise queries: the driver queues the writers itself. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }

  /**
   * True, so that Kysely runs all pending migrations in one transaction: an interrupted upgrade leaves nothing behind,
   * and the disk is synced once. Kysely assumes false, because a pragma of some migrations has no effect in a
   * transaction; the migrations of this project contain no pragma.
   */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }

  /** Returns whether the writing connection has an open transaction. */
  isInTransaction(): boolean {
    return this.#database.isInTransaction();
  }

  /**
   * Runs a statement synchronously, because Kysely's promise chain takes longer than most statements. Only a statement
   * of the open transaction, or a read while no transaction is open, can run synchronously. Returns null when the
   * driver must run the statement: a single write waits for its turn, and a locked file is read again later.
   */
  runAtOnce(query: CompiledQuery, isTransaction: boolean): QueryResult<unknown> | null {
    const isOpen = this.#database.isInTransaction();
    if (isTransaction ? !isOpen : isOpen || !onlyReads(query.sql)) return null;
    try {
      return runOn(this.#database, query);
    } catch (error) {
      if (error instanceof DatabaseLocked && !isTransaction) return null;
      throw error;
    }
  }

  /**
   * Returns committed rows of a query with one text parameter, frozen and shared; null when the rows cannot be read
   * now.
   */
  readCommitted(sql: string, text: string): Rows | null {
    return this.#database.reader.rows(sql, text);
  }
}

/** Returns the access to SQLite below a database or transaction; null for PostgreSQL. */
export function sqliteAccess<Tables>(db: Pick<Kysely<Tables>, 'getExecutor'>): SqliteAccess | null {
  const { adapter } = db.getExecutor();
  return adapter instanceof SqliteAccess ? adapter : null;
}
