import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { memberName } from '../column-names.ts';
import { DatabaseLocked, storageError } from '../storage-deadline.ts';

/** Reader of committed data of a SQLite database. It does not wait for the writer. */
export interface SqliteReader {
  /**
   * Returns the committed rows of a statement with one text parameter, frozen because callers share them. Returns null
   * when the rows cannot be read now: the caller must then use the writing connection.
   */
  rows(sql: string, text: string): Rows | null;
  /** Notifies the reader that this process ran a statement that may have written. */
  lookAgain(): void;
  close(): void;
}

/**
 * Creates a reader that opens the file on the first read, after the tables were created. It never waits for a lock.
 * Cached rows stay valid until another connection commits, which is checked once per event-loop tick. Commits of this
 * process are visible at once, those of other processes in the next tick.
 */
export function createFileReader(file: string): SqliteReader {
  let opened: SqliteReader | null = null;
  return {
    rows(sql, text) {
      try {
        return (opened ??= open(file)).rows(sql, text);
      } catch (error) {
        // The driver waits until the database is readable.
        if (storageError(error) instanceof DatabaseLocked) return null;
        throw error;
      }
    },
    lookAgain: () => opened?.lookAgain(),
    close() {
      opened?.close();
      opened = null;
    },
  };
}

function open(file: string): SqliteReader {
  const database = new DatabaseSync(file, { readOnly: true });
  const version = database.prepare('pragma data_version');
  version.setReturnArrays(true);
  const statements = new Map<string, ReadRows>();
  const answers = createResponseCache();
  let seen: unknown = null;
  let hasLooked = false;
  const lookAgain = (): void => void (hasLooked = false);
  const notice = (): void => {
    if (hasLooked && !answers.isFull()) return;
    hasLooked = true;
    // The check makes two system calls for a file lock, a sixth of the time of a poll (decision 57).
    setImmediate(lookAgain);
    // The number changes as soon as another connection has committed
    // (https://www.sqlite.org/pragma.html#pragma_data_version).
    const now = getOnlyValue(version.get());
    if (now !== seen || answers.isFull()) answers.forget();
    seen = now;
  };
  const prepared = (sql: string): ReadRows => {
    const read = statements.get(sql) ?? readRows(database.prepare(sql));
    statements.set(sql, read);
    return read;
  };
  return {
    rows(sql, text) {
      notice();
      return answers.get(sql, text) ?? answers.keep(sql, text, prepared(sql)(text));
    },
    lookAgain,
    close: () => database.close(),
  };
}

function getOnlyValue(row: unknown): unknown {
  return Array.isArray(row) ? row[0] : undefined;
}

/** A row of the database: its values by member name. */
export type Row = Readonly<Record<string, unknown>>;

/** Function that runs a statement and returns its rows. */
export type ReadRows = (...parameters: SQLInputValue[]) => Row[];

/**
 * Returns a function that runs a prepared statement and returns its rows. SQLite returns arrays, and this function adds
 * the names. This takes half the time of rows that SQLite returns as objects, and all rows of a statement share one
 * shape.
 */
export function readRows(statement: StatementSync): ReadRows {
  statement.setReturnArrays(true);
  let columns = readColumns(statement);
  return (...parameters) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what it returns since it was told to return arrays
    const found = statement.all(...parameters) as unknown as readonly unknown[][];
    // SQLite compiles a statement anew where a column has been added meanwhile.
    if (found[0] !== undefined && found[0].length !== columns.names.length) columns = readColumns(statement);
    return found.map((values) => named(columns, values));
  };
}

/** Cached rows of statements with one parameter; frozen, because callers share them. */
export interface ResponseCache {
  /** Returns the cached rows of a statement and its parameter; undefined without an entry. */
  get(sql: string, text: string): Rows | undefined;
  /**
   * Freezes rows and returns them. Also caches them, unless they contain more than `charactersMax` characters. The
   * caller must empty a full cache before this call.
   */
  keep(sql: string, text: string, rows: Rows): Rows;
  /** Returns whether the cache is full. */
  isFull(): boolean;
  forget(): void;
}

/** Rows of the database. */
export type Rows = readonly Row[];

/** Creates an empty cache. */
export function createResponseCache(): ResponseCache {
  const statements = new Map<string, Map<string, Rows>>();
  let count = 0;
  return {
    get: (sql, text) => statements.get(sql)?.get(text),
    keep(sql, text, rows) {
      for (const row of rows) Object.freeze(row);
      if (countCharacters(rows) > charactersMax) return rows;
      const answers = statements.get(sql) ?? new Map<string, Rows>();
      statements.set(sql, answers);
      answers.set(text, rows);
      count += 1;
      return rows;
    },
    isFull: () => count >= answersMax,
    forget() {
      if (count === 0) return;
      for (const answers of statements.values()) answers.clear();
      count = 0;
    },
  };
}

function readColumns(statement: StatementSync): Columns {
  const names = statement.columns().map(({ name }) => memberName(name));
  return { names, empty: Object.fromEntries(names.map((name) => [name, null])) };
}

function named({ names, empty }: Columns, values: readonly unknown[]): Row {
  const row: Record<string, unknown> = { ...empty };
  let index = 0;
  for (const name of names) {
    row[name] = values[index];
    index += 1;
  }
  return row;
}

/**
 * Maximum number of cached results, and of characters in one result: enough for keys and polled records, not for
 * outputs.
 */
const answersMax = 512;

const charactersMax = 16_384;

function countCharacters(rows: Rows): number {
  let sum = 0;
  for (const row of rows)
    for (const value of Object.values(row))
      if (typeof value === 'string' || value instanceof Uint8Array) sum += value.length;
  return sum;
}

interface Columns {
  readonly names: readonly string[];
  /** A row with null in every column, from which rows are copied, because objects of one shape are created faster. */
  readonly empty: Row;
}
