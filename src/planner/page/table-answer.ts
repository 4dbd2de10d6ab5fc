import type { JsonValue } from '#lib/json.ts';
import type { ShownTable } from './read-tables.ts';
import { valueOf } from './controls.ts';
import { getWords } from './words.ts';

/** A question about a table. */
export interface TableQuestion {
  readonly text: string;
  /** Words of the page about the subject of the table. */
  readonly known: readonly string[];
  /** Order of the rows as stated by the page. */
  readonly order: 'newest first' | 'oldest first' | null;
}

/** Answer of a table: the matching rows, and what was counted or compared. */
export interface TableAnswer {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Column of the grouping or comparison. */
  readonly column: number | null;
  /** Number of rows of the most frequent value. */
  readonly count: number | null;
}

const FILLERS = new Set(
  getWords(
    'tell give show let know need like list every all each any go goes going which what how many much who when where has have had most first last oldest newest earliest latest recent made make was were founded there name number year exactly will would',
  ),
);
const LARGE = /\b(?:most|highest|largest|biggest|heaviest|longest|newest|latest|most\s+recent)\b/i;
const SMALL = /\b(?:fewest|lowest|smallest|cheapest|lightest|shortest|oldest|earliest|first)\b/i;
const PERSON = /^(?:editor|author|user|member|person|name|by|sender|written by)s?$/i;

/** Answers a question from a complete table; null when a word of the question is not understood. */
export function tableAnswer({ header, rows }: ShownTable, question: TableQuestion): TableAnswer | null {
  if (header.length === 0 || rows.length === 0) return null;
  const words = getWords(question.text);
  const filters = header.flatMap((_name, at) => getFilter(rows, at, words));
  const kept = rows.filter((row) => filters.every(({ at, value }) => row[at] === value));
  const heads = header.map(getWords);
  const told = new Set([
    ...heads.flat(),
    ...filters.flatMap(({ value }) => getWords(value)),
    ...question.known,
    ...FILLERS,
  ]);
  if (kept.length === 0 || words.some((word) => !told.has(word))) return null;
  if (/\bhas\s+the\s+most\b|\bhave\s+the\s+most\b/i.test(question.text)) return getMost({ header, rows: kept }, words);
  if (SMALL.test(question.text) || LARGE.test(question.text)) return getExtreme({ header, rows: kept }, question);
  return filters.length === 0 ? null : { header, rows: kept, column: null, count: null };
}

function getFilter(
  rows: readonly (readonly string[])[],
  at: number,
  words: readonly string[],
): { at: number; value: string }[] {
  const values = new Set(rows.map((row) => row[at] ?? ''));
  return [...values]
    .filter((value) => {
      const own = getWords(value);
      return own.length > 0 && own.every((word) => words.includes(word));
    })
    .map((value) => ({ at, value }));
}

/** Answers "Which carrier has the most": the most frequent value of the column; null for a tie. */
function getMost({ header, rows }: ShownTable, words: readonly string[]): TableAnswer | null {
  const [column, ...others] = header.flatMap((name, at) =>
    getWords(name).every((word) => words.includes(word)) ? [at] : [],
  );
  if (column === undefined || others.length > 0) return null;
  const groups = Map.groupBy(rows, (row) => row[column] ?? '');
  const sorted = [...groups.values()].toSorted((a, b) => b.length - a.length);
  const [best, second] = sorted;
  return best === undefined || best.length === second?.length
    ? null
    : { header, rows: [best[0] ?? []], column, count: best.length };
}

/**
 * Returns the row with the smallest or largest value of the named column, or the first or last one by the page's order.
 */
function getExtreme({ header, rows }: ShownTable, { text, order }: TableQuestion): TableAnswer | null {
  const words = getWords(text);
  const isSmall = SMALL.test(text);
  const columns = header.flatMap((name, at) =>
    isCompared(rows, at) && getWords(name).every((word) => words.includes(word)) ? [at] : [],
  );
  const [column] = columns;
  if (column !== undefined && columns.length === 1) {
    const values = rows.map((row) => Number(valueOf(row[column] ?? '')));
    const wanted = isSmall ? Math.min(...values) : Math.max(...values);
    const found = rows.filter((_row, at) => values[at] === wanted);
    return found.length === 1 ? { header, rows: found, column, count: null } : null;
  }
  if (order === null || columns.length > 1 || !/\b(?:first|oldest|earliest|newest|latest|most\s+recent)\b/i.test(text))
    return null;
  const row = isSmall === (order === 'oldest first') ? rows[0] : rows.at(-1);
  return row === undefined ? null : { header, rows: [row], column: null, count: null };
}

function isCompared(rows: readonly (readonly string[])[], at: number): boolean {
  return rows.every((row) => typeof valueOf(row[at] ?? '') === 'number');
}

/** Returns the part of an answer that an output member or a word of the question names; undefined without one. */
export function getMember(
  { header, rows, column, count }: TableAnswer,
  name: string,
  type: string,
): JsonValue | undefined {
  const words = getWords(name.replace(/([a-z])([A-Z])/g, '$1 $2').replaceAll('_', ' '));
  const named = header.findIndex((head) => words.some((word) => getWords(head).includes(word)));
  const isNumber = type === 'number' || type === 'integer';
  if (isNumber && count !== null && named !== column) return count;
  const at = named === -1 && isNumber ? column : named;
  if (at === null || at === -1) return undefined;
  return typed(
    rows.map((row) => row[at] ?? ''),
    type,
  );
}

function typed(cells: readonly string[], type: string): JsonValue | undefined {
  if (type === 'array') return [...cells];
  const [only, ...others] = cells;
  if (only === undefined || others.length > 0) return undefined;
  if (type !== 'number' && type !== 'integer') return only;
  const value = valueOf(only);
  return typeof value === 'number' ? value : undefined;
}

/** Formats the answer of a table: the name when a person is asked for, otherwise the whole row. */
export function tableWords({ header, rows, count }: TableAnswer, question: string): string {
  const person = /\bwho\b/i.test(question) ? header.findIndex((name) => PERSON.test(name.trim())) : -1;
  const lines = rows.map((row) =>
    person === -1 ? row.filter((cell) => cell !== '').join(' | ') : `${header[person] ?? ''}: ${row[person] ?? ''}`,
  );
  return `${lines.join('\n')}${count === null ? '' : ` (${count})`}`;
}
