import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { SqliteDatabase, SqliteStatement } from 'kysely';
import { storageError } from '../storage-deadline.ts';
import { createFileReader, createResponseCache, readRows, type ReadRows, type SqliteReader } from './reader.ts';

/** A SQLite database with one writing connection and a reader of committed rows. */
export interface NodeSqlite extends SqliteDatabase {
  readonly reader: SqliteReader;
  /** Returns whether the writing connection has an open transaction. */
  isInTransaction(): boolean;
}

/** Opens a SQLite file or `:memory:` with `node:sqlite`, in the shape that Kysely's SqliteDialect expects. */
export function openNodeSqlite(file: string): NodeSqlite {
  const database = told(() => opened(file));
  const reader = file === ':memory:' ? createMemoryReader(database) : createFileReader(file);
  const statements = new Map<string, SqliteStatement>();
  return {
    reader,
    isInTransaction: () => database.isTransaction,
    close: () => {
      statements.clear();
      reader.close();
      database.close();
    },
    prepare: (sql) => {
      const known = statements.get(sql);
      // The eviction order matters only with many entries.
      if (known !== undefined && statements.size < many) return known;
      const prepared = known ?? told(() => statement(database, sql, reader));
      keep(statements, sql, prepared);
      return prepared;
    },
  };
}

function opened(file: string): DatabaseSync {
  // Opening may wait for another program. Later waits are made by the driver, which does not block the event loop.
  const database = new DatabaseSync(file, { timeout: 5000 });
  // A transaction that was acknowledged survives a power cut: FULL waits for the disk. WAL lets reads continue.
  database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on;');
  // Deleted data is overwritten, because secrets and purged sessions must not stay behind in free pages of a file.
  if (file !== ':memory:') database.exec('pragma secure_delete = on;');
  database.exec('pragma busy_timeout = 0;');
  return database;
}

/** Maximum number of cached prepared statements. Each length of a list of ids has its own statement. */
const kept = 500;

const many = 400;

/**
 * Caches a prepared statement as the most recently used; evicts the least recently used statement above `kept`
 * statements.
 */
function keep(statements: Map<string, SqliteStatement>, sql: string, prepared: SqliteStatement): void {
  statements.delete(sql);
  statements.set(sql, prepared);
  const [oldest] = statements.keys();
  if (statements.size > kept && oldest !== undefined) statements.delete(oldest);
}

/** Returns true for a statement that begins with SELECT. Any other statement counts as a write. */
export function onlyReads(sql: string): boolean {
  return /^select\b/i.test(sql);
}

function statement(database: DatabaseSync, sql: string, reader: SqliteReader): SqliteStatement {
  const prepared = database.prepare(sql);
  const done = onlyReads(sql)
    ? <Result>(result: Result): Result => result
    : <Result>(result: Result): Result => {
        reader.lookAgain();
        return result;
      };
  const read = readRows(prepared);
  return {
    reader: prepared.columns().length > 0,
    all: (parameters) => told(() => done(read(...parameters.map(bind)))),
    run: (parameters) => told(() => done(prepared.run(...parameters.map(bind)))),
    // A statement of its own: the prepared statement above returns arrays.
    iterate: (parameters) => database.prepare(sql).iterate(...parameters.map(bind)),
  };
}

/**
 * Runs a call of SQLite. Throws the error of a locked database as DatabaseLocked, and of full storage as StorageFull.
 */
function told<Result>(call: () => Result): Result {
  try {
    return call();
  } catch (error) {
    throw storageError(error);
  }
}

/**
 * Returns a value unchanged if it can be bound to a parameter; throws for any other value, such as an object.
 * node:sqlite would take an object as the list of named parameters, and shift all other values.
 */
function bind(value: unknown): SQLInputValue {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint')
    return value;
  if (value instanceof Uint8Array) return value;
  throw new TypeError(
    `cannot bind ${Object.prototype.toString.call(value)}: expected null, text, number, bigint or bytes`,
  );
}

/**
 * Creates a reader of an in-memory database over its only connection. During an open transaction it returns cached
 * rows, which are committed, or null for rows that are not cached.
 */
function createMemoryReader(database: DatabaseSync): SqliteReader {
  const statements = new Map<string, ReadRows>();
  const answers = createResponseCache();
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
      // Writes of an open transaction become visible at its commit, which also calls this function.
      if (!database.isTransaction) answers.forget();
    },
    // The connection is closed by its opener.
    close: () => statements.clear(),
  };
}
