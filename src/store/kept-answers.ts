import type { Row } from './read-rows.ts';

/** What statements with one parameter have answered, for whoever asks the same again; frozen, because all are given the same rows. */
export interface KeptAnswers {
  /** The rows that are kept for a statement and its parameter; undefined where none are. */
  get(sql: string, text: string): Rows | undefined;
  /** Keeps rows where they may be kept, and answers them. */
  keep(sql: string, text: string, rows: Rows): Rows;
  /** Whether no more of them can be kept. */
  isFull(): boolean;
  forget(): void;
}

/** Rows of the database. */
export type Rows = readonly Row[];

/** Answers that are kept at most, and what one of them may hold: a project's keys and what its clients poll, not its outputs. */
const answersMax = 512;
const charactersMax = 16_384;

/** Answers of nothing yet. */
export function createKeptAnswers(): KeptAnswers {
  const statements = new Map<string, Map<string, Rows>>();
  let count = 0;
  return {
    get: (sql, text) => statements.get(sql)?.get(text),
    keep(sql, text, rows) {
      for (const row of rows) Object.freeze(row);
      if (charactersOf(rows) > charactersMax) return rows;
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

function charactersOf(rows: Rows): number {
  let sum = 0;
  for (const row of rows)
    for (const value of Object.values(row))
      if (typeof value === 'string' || value instanceof Uint8Array) sum += value.length;
  return sum;
}
