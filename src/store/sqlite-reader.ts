import type { Rows } from './kept-answers.ts';

/** Reads what is committed in a database of SQLite, without a wait, beside whoever writes it. */
export interface SqliteReader {
  /**
   * The rows of a statement with one parameter; frozen, because whoever asks next may be given the same. Null where they cannot be read now:
   * whoever asks has to wait for who writes.
   */
  rows(sql: string, text: string): Rows | null;
  /** To be called when this process has done a statement that may have written: what is read next may have changed. */
  lookAgain(): void;
  close(): void;
}
