import { DatabaseSync, type StatementSync } from 'node:sqlite';

/** Reads a SQLite file beside whoever writes it: what is committed, without waiting for what is not. */
export interface SqliteReader {
  /** The rows of a statement with one parameter; frozen, because whoever asks next may be given the same. */
  rows(sql: string, text: string): readonly unknown[];
  /** To be called when this process writes: what is read next may have changed. */
  lookAgain(): void;
  close(): void;
}

/** Answers that are kept at most, and what one of them may hold: a project's keys and what its clients poll, not its outputs. */
const answersMax = 512;
const charactersMax = 16_384;

/**
 * A reader that opens the file when it is first asked: by then it is there, and has its tables. An answer is given again as long as nobody
 * has committed anything, in this process or another. SQLite itself is asked for that, once for all that is read in a turn of the event loop: requests
 * of one turn had arrived before it began. What this process commits is seen at once, and what another does in the next turn.
 */
export function createSqliteReader(file: string): SqliteReader {
  let opened: Opened | null = null;
  return {
    rows: (sql, text) => (opened ??= open(file)).rows(sql, text),
    lookAgain: () => opened?.lookAgain(),
    close() {
      opened?.close();
      opened = null;
    },
  };
}

type Opened = SqliteReader;

function open(file: string): Opened {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
  const version = database.prepare('pragma data_version');
  version.setReturnArrays(true);
  const statements = new Map<string, Kept>();
  let seen: unknown = null;
  let count = 0;
  const forget = (): void => {
    for (const { answers } of statements.values()) answers.clear();
    count = 0;
  };
  let hasLooked = false;
  const lookAgain = (): void => void (hasLooked = false);
  const notice = (): void => {
    if (hasLooked && count < answersMax) return;
    hasLooked = true;
    // Two system calls for a lock of a file: a sixth of what a poll took (decision 61).
    setImmediate(lookAgain);
    // Another number as soon as any other connection has committed (https://www.sqlite.org/pragma.html#pragma_data_version).
    const now = onlyValueOf(version.get());
    if (now !== seen || count >= answersMax) forget();
    seen = now;
  };
  const prepared = (sql: string): Kept => {
    const known = statements.get(sql) ?? { statement: database.prepare(sql), answers: new Map() };
    statements.set(sql, known);
    return known;
  };
  return {
    rows(sql, text) {
      notice();
      const { statement, answers } = statements.get(sql) ?? prepared(sql);
      const known = answers.get(text);
      if (known !== undefined) return known;
      const found = statement.all(text);
      for (const row of found) Object.freeze(row);
      if (charactersOf(found) > charactersMax) return found;
      answers.set(text, found);
      count += 1;
      return found;
    },
    lookAgain,
    close: () => database.close(),
  };
}

/** A statement with what it has answered since the last commit, by its parameter. */
interface Kept {
  readonly statement: StatementSync;
  readonly answers: Map<string, readonly unknown[]>;
}

function onlyValueOf(row: unknown): unknown {
  return Array.isArray(row) ? row[0] : undefined;
}

function charactersOf(rows: readonly Record<string, unknown>[]): number {
  let sum = 0;
  for (const row of rows)
    for (const value of Object.values(row))
      if (typeof value === 'string' || value instanceof Uint8Array) sum += value.length;
  return sum;
}
