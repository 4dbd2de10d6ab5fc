import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
  type TransactionSettings,
} from 'kysely';
import type { PoolClient } from 'pg';
import { TransactionLost, isLoss, isToBeRunAgain } from './database-away.ts';
import { storageError, waitToTryAgain } from '../storage-deadline.ts';
import { leave, type Links, type Mark, wasCommitted } from './links.ts';
import { lockEverything, shareEverything } from './locks.ts';
import { storableText } from './values.ts';

/** A running transaction on its own connection. */
interface PendingTransaction {
  readonly client: PoolClient;
  /** Commit mark; null for a read-only transaction. */
  readonly mark: Mark | null;
  /** Whether the connection, and with it all writes of the transaction, is lost. */
  isLost: boolean;
}

/** A Kysely connection. It holds a pooled connection only during a statement or a transaction. */
interface Connection extends DatabaseConnection {
  pending: PendingTransaction | null;
}

/**
 * Creates a driver over a connection pool. A transaction without settings takes the global lock; one with an access
 * mode takes its locks itself.
 */
export function createPostgresDriver(links: Links): Driver {
  const connections = new WeakMap<DatabaseConnection, Connection>();
  const of = (known: DatabaseConnection): Connection => {
    const connection = connections.get(known);
    if (connection === undefined) throw new Error('found a connection of another driver');
    return connection;
  };
  return {
    init: async () => undefined,
    async acquireConnection() {
      const connection = createConnection(links);
      connections.set(connection, connection);
      return connection;
    },
    async beginTransaction(connection, settings) {
      of(connection).pending = await begin(links, settings);
    },
    commitTransaction: (connection) => commit(links, pending(of(connection))),
    rollbackTransaction: (connection) => rollBack(pending(of(connection))),
    async releaseConnection(connection) {
      const own = of(connection);
      own.pending?.client.release(own.pending.isLost);
      own.pending = null;
    },
    destroy: () => links.close(),
  };
}

function pending(connection: Connection): PendingTransaction {
  if (connection.pending === null) throw new Error('found no pending transaction');
  return connection.pending;
}

function createConnection(links: Links): Connection {
  const connection: Connection = {
    pending: null,
    async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
      return connection.pending === null ? alone<Row>(links, query) : within<Row>(connection.pending, query);
    },
    // oxlint-disable-next-line require-yield -- Kysely requires it, and the service streams no rows
    async *streamQuery() {
      throw new Error('rows cannot be streamed');
    },
  };
  return connection;
}

async function begin(links: Links, { accessMode, isolationLevel }: TransactionSettings): Promise<PendingTransaction> {
  const level = isolationLevel === undefined ? '' : ` isolation level ${isolationLevel}`;
  let mark: Mark | null = null;
  const client = await links.keep(async (link) => {
    mark = accessMode === 'read only' ? null : await links.marks.next(link);
    const first =
      mark === null ? ' read only' : `${accessMode === undefined ? `; ${lockEverything}` : ''}; ${leave(mark)}`;
    await link.query(`begin${level}${first}`);
  });
  return { client, mark, isLost: false };
}

async function within<Row>(transaction: PendingTransaction, query: CompiledQuery): Promise<QueryResult<Row>> {
  if (transaction.isLost) throw new TransactionLost('the connection of this transaction is lost');
  try {
    return await run<Row>(transaction.client, query);
  } catch (error) {
    if (!isLoss(error)) throw storageError(error);
    transaction.isLost = true;
    throw new TransactionLost(error);
  }
}

/**
 * Commits a transaction. When the response is lost, it verifies the outcome, so that a reported failure is reliable.
 */
async function commit(links: Links, transaction: PendingTransaction): Promise<void> {
  const { client, mark } = transaction;
  if (mark !== null) links.storageDeadline.wrote();
  try {
    const { command } = await client.query('commit');
    if (command === 'ROLLBACK') throw new Error('found a transaction that had failed, expected one to commit');
  } catch (error) {
    if (!isLoss(error)) throw storageError(error);
    transaction.isLost = true;
    if (mark === null || !(await wasCommitted(links, mark))) throw new TransactionLost(error);
  }
}

/** Rolls a transaction back; a lost connection has already rolled it back. */
async function rollBack(transaction: PendingTransaction): Promise<void> {
  if (transaction.isLost) return;
  try {
    await transaction.client.query('rollback');
  } catch (error) {
    transaction.isLost = true;
    if (!isLoss(error)) throw error;
  }
}

const writes: readonly string[] = ['InsertQueryNode', 'UpdateQueryNode', 'DeleteQueryNode', 'MergeQueryNode'];

/** Runs a statement outside a transaction; a statement that writes runs in its own transaction. */
async function alone<Row>(links: Links, query: CompiledQuery): Promise<QueryResult<Row>> {
  if (!writes.includes(query.query.kind)) return links.onLink((client) => run<Row>(client, query));
  for (;;) {
    try {
      return await written<Row>(links, query);
    } catch (error) {
      if (!isToBeRunAgain(error)) await waitToTryAgain(links.storageDeadline, error);
    }
  }
}

async function written<Row>(links: Links, query: CompiledQuery): Promise<QueryResult<Row>> {
  const transaction = await begin(links, { accessMode: 'read write' });
  try {
    await within(transaction, CompiledQuery.raw(shareEverything));
    const result = await within<Row>(transaction, query);
    await commit(links, transaction);
    return result;
  } catch (error) {
    await rollBack(transaction);
    throw error;
  } finally {
    transaction.client.release(transaction.isLost);
  }
}

async function run<Row>(client: PoolClient, query: CompiledQuery): Promise<QueryResult<Row>> {
  const values = query.parameters.map((value) => (typeof value === 'string' ? storableText(value) : value));
  const { command, rowCount, rows } = await client.query(query.sql, values);
  const changed = ['INSERT', 'UPDATE', 'DELETE', 'MERGE'].includes(command);
  return { rows, ...(changed ? { numAffectedRows: BigInt(rowCount ?? 0) } : {}) };
}
