import { DatabaseSync } from 'node:sqlite';
import { createKeptAnswers } from './kept-answers.ts';
import { type ReadRows, readRows } from './read-rows.ts';
import type { SqliteReader } from './sqlite-reader.ts';
import { DatabaseLocked, storageError } from './storage-errors.ts';

/**
 * A reader that opens the file when it is first asked: by then it is there, and has its tables. It never has to wait. An answer is given again as
 * long as nobody has committed anything, in this process or another. SQLite itself is asked for that, once for all that is read in a turn of the event
 * loop: requests of one turn had arrived before it began. What this process commits is seen at once, and what another does in the next turn.
 */
export function createFileReader(file: string): SqliteReader {
  let opened: SqliteReader | null = null;
  return {
    rows(sql, text) {
      try {
        return (opened ??= open(file)).rows(sql, text);
      } catch (error) {
        // The driver waits until it can be read.
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
  const answers = createKeptAnswers();
  let seen: unknown = null;
  let hasLooked = false;
  const lookAgain = (): void => void (hasLooked = false);
  const notice = (): void => {
    if (hasLooked && !answers.isFull()) return;
    hasLooked = true;
    // Two system calls for a lock of a file: a sixth of what a poll took (decision 61).
    setImmediate(lookAgain);
    // Another number as soon as any other connection has committed (https://www.sqlite.org/pragma.html#pragma_data_version).
    const now = onlyValueOf(version.get());
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

function onlyValueOf(row: unknown): unknown {
  return Array.isArray(row) ? row[0] : undefined;
}
