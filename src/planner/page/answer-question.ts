import { nodesIn, type PageNode, getText } from '#agent/page-node.ts';
import { readStatements, readTables, type Statement, type ShownTable } from './read-tables.ts';
import { getDate, toComparable } from './controls.ts';
import { getWords } from './words.ts';
import type { JsonValue } from '#lib/json.ts';

/** A question of the task. `about` has the words that "it" stands for in the question. */
export interface Question {
  readonly text: string;
  readonly about: readonly string[];
}

/** Words that are ignored in a question, because they do not tell which value is asked for. */
const fillers = new Set(
  getWords(
    'tell give show let know report read out what which how many much who when where does say says get gets see have has had after before afterwards then now currently page box table list row column left right top bottom come comes end up they he she exactly here will would could can figure write written',
  ),
);
/** Words for kinds of answers. A page may omit these words. */
const kinds = new Set(getWords('number code figure name date time amount price reference'));
const saysPattern =
  /\bwhat\s+(?:does\s+)?(?:the|this|that)\s+[\w ]+?\s+says?$|\bwhat\s+(?:it|the\s+page)\s+says$|\b(?:message|confirmation)\s+(?:that\s+)?(?:is\s+shown|appears|you\s+(?:get|see))$/i;
const newestPattern = /\b(?:newest|latest|most\s+recent|last)\b/i;
const oldestPattern = /\b(?:oldest|earliest)\b/i;
const figurePattern =
  /\bhow\s+(?:many|much)\b|\bnumber\b|\btotal\b|\bprice\b|\bcosts?\b|\bcomes?\s+to\b|\bfigure\b|\bamount\b|\bbalance\b/i;
const topPattern = /\b(?:first|top(?:most)?)\s+(?:row|line|entry|result)\b|\bat\s+the\s+top\b/i;

/**
 * Returns the answer to a question in the words of the page. Returns null if the page contains no answer, or several
 * different answers.
 */
export function answerQuestion(page: PageNode, question: Question): string | null {
  const { text } = question;
  const own = readOwn(page, text);
  if (own !== null) return own;
  const { words, rows } = asked(page, question);
  if (rows === null) return null;
  const wantsFigure = figurePattern.test(text);
  const all = readStatements(page).filter(
    ({ value, row }) => (!wantsFigure || /\d/.test(value)) && (rows === 'all' || (row !== null && rows.includes(row))),
  );
  const fits = all.flatMap((statement) => getFit(statement, words)).toSorted((a, b) => a.distance - b.distance);
  const [best] = fits;
  if (best === undefined) return null;
  const equals = fits.filter(({ distance }) => distance === best.distance);
  return equals.every(({ statement }) => statement.value === best.statement.value) ? best.statement.quote : null;
}

/**
 * Answers a question about the main heading of the page, or about the message that the page shows. Returns null for any
 * other question, or without such a heading or message.
 */
function readOwn(page: PageNode, text: string): string | null {
  if (/\b(?:main\s+)?heading\b/i.test(text)) {
    const headings = nodesIn(page).filter(({ role }) => role === 'heading');
    const main = headings.find(({ flags }) => flags.get('level') === '1') ?? headings[0];
    return main === undefined ? null : getText(main);
  }
  if (!saysPattern.test(text)) return null;
  const said = nodesIn(page)
    .filter(({ role }) => role === 'status' || role === 'alert')
    .map(getText)
    .filter((each) => each !== '');
  return said.length === 0 ? null : said.join('\n');
}

interface Asked {
  readonly words: readonly string[];
  /**
   * Indexes of the requested rows of a table; `all` if the question restricts no row; null when the rows are ambiguous.
   */
  readonly rows: readonly number[] | 'all' | null;
}

function asked(page: PageNode, { text, about }: Question): Asked {
  const usesIt = /\b(?:it|its|they|their|them|this|that)\b/i.test(text);
  const bare = text.replace(topPattern, ' ').replace(newestPattern, ' ').replace(oldestPattern, ' ');
  const words = getWords(bare).filter((word) => !fillers.has(word));
  const whole = usesIt ? [...new Set([...words, ...about.filter((word) => isShown(page, word))])] : words;
  if (topPattern.test(text)) return { words: whole, rows: [0] };
  if (newestPattern.test(text) || oldestPattern.test(text)) return extreme(page, whole, newestPattern.test(text));
  return { words: whole, rows: 'all' };
}

function isShown(page: PageNode, word: string): boolean {
  return readStatements(page).some(
    ({ label, beside, row }) => row !== null && getWords(`${label} ${beside}`).includes(word),
  );
}

/**
 * Selects the row with the latest or earliest date in the only table with dates. `rows` is null if there is no such
 * table, or if the table has further pages.
 */
function extreme(page: PageNode, words: readonly string[], isLatest: boolean): Asked {
  const [table, ...others] = readTables(page).filter(
    ({ header, rows }) => header.length > 0 && rows.some((row) => row.some((cell) => getDate(cell) !== null)),
  );
  const isPart = nodesIn(page).some(
    ({ role, name, flags }) =>
      (role === 'link' || role === 'button') && /^next\b/i.test(name) && !flags.has('disabled'),
  );
  if (table === undefined || others.length > 0 || isPart) return { words, rows: null };
  const dates = table.rows.map((row) => row.map(getDate).find((date) => date !== null) ?? null);
  const known = dates.filter((date) => date !== null);
  const wanted = isLatest ? Math.max(...known) : Math.min(...known);
  // The kind of rows, such as messages, need not occur in the text; the date column has selected the row.
  const columns = getWords(table.header.join(' '));
  const dated = getWords(table.header.filter((_name, at) => getDate(table.rows[0]?.[at] ?? '') !== null).join(' '));
  const told = words.filter((word) => columns.includes(word) && !dated.includes(word));
  return { words: told, rows: [dates.indexOf(wanted)] };
}

function getFit(statement: Statement, words: readonly string[]): { statement: Statement; distance: number }[] {
  const label = getWords(statement.label);
  const beside = getWords(`${statement.beside} ${statement.value}`);
  const missing = words.filter((word) => !label.includes(word) && !beside.includes(word));
  const isMissing = missing.some((word) => !kinds.has(word) || !/\d/.test(statement.value));
  const inLabel = words.filter((word) => label.includes(word)).length;
  const isNews = getWords(statement.value).some((word) => !words.includes(word));
  // A named row without a column is an answer only if it has a single match.
  const byRow = statement.row !== null && getWords(statement.beside).some((word) => words.includes(word));
  if (words.length === 0 || isMissing || !isNews || (inLabel === 0 && !byRow)) return [];
  const extra = label.filter((word) => !words.includes(word)).length;
  const base = statement.rank * 2 + missing.length * 3 + (inLabel === 0 ? 4 : 0);
  return [{ statement, distance: base + (statement.rank < 2 ? extra : extra * 0.1) }];
}

/** A question about a table. */
export interface TableQuestion {
  readonly text: string;
  /**
   * Words of the title, the headings and the paragraphs of the page. A question may contain them in addition to words
   * of the table.
   */
  readonly known: readonly string[];
  /** Order of the rows, if the page states one, such as "newest first"; otherwise null. */
  readonly order: 'newest first' | 'oldest first' | null;
}

/** Answer that was found in a table: the matching rows, and the column that was counted or compared. */
export interface TableAnswer {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Index of the column whose values were counted or compared; null if none was. */
  readonly column: number | null;
  /** Number of rows with the most frequent value; null if the question did not ask for it. */
  readonly count: number | null;
}

const tableFillers = new Set(
  getWords(
    'tell give show let know need like list every all each any go goes going which what how many much who when where has have had most first last oldest newest earliest latest recent made make was were founded there name number year exactly will would',
  ),
);
const largePattern = /\b(?:most|highest|largest|biggest|heaviest|longest|newest|latest|most\s+recent)\b/i;
const smallPattern = /\b(?:fewest|lowest|smallest|cheapest|lightest|shortest|oldest|earliest|first)\b/i;
const personPattern = /^(?:editor|author|user|member|person|name|by|sender|written by)s?$/i;

/**
 * Answers a question from a table with all its rows. The answer has the rows that the question names, or the row that a
 * comparison selects. Returns null if a word of the question is not understood, no row matches, or a comparison has no
 * unique result.
 */
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
    ...tableFillers,
  ]);
  if (kept.length === 0 || words.some((word) => !told.has(word))) return null;
  if (/\bhas\s+the\s+most\b|\bhave\s+the\s+most\b/i.test(question.text)) return getMost({ header, rows: kept }, words);
  if (smallPattern.test(question.text) || largePattern.test(question.text))
    return getExtreme({ header, rows: kept }, question);
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

/**
 * Answers "Which carrier has the most": returns a row with the most frequent value of the named column. Returns null
 * for a tie, or if not exactly one column is named.
 */
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
 * Returns the row with the smallest or largest value of the named column. Without a named column, returns the first or
 * last row, by the order that the page states. Returns null if this order is unknown, or if several rows or columns
 * match.
 */
function getExtreme({ header, rows }: ShownTable, { text, order }: TableQuestion): TableAnswer | null {
  const words = getWords(text);
  const isSmall = smallPattern.test(text);
  const columns = header.flatMap((name, at) =>
    isCompared(rows, at) && getWords(name).every((word) => words.includes(word)) ? [at] : [],
  );
  const [column] = columns;
  if (column !== undefined && columns.length === 1) {
    const values = rows.map((row) => Number(toComparable(row[column] ?? '')));
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
  return rows.every((row) => typeof toComparable(row[at] ?? '') === 'number');
}

/**
 * Returns the value for a member of the output, taken from the column whose name matches the name of the member. A
 * number may also be the count, or the value of the compared column. Returns undefined without a match.
 */
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
  const value = toComparable(only);
  return typeof value === 'number' ? value : undefined;
}

/**
 * Formats the answer of a table as text. For a question about a person, writes only the column with names of persons,
 * if the table has such a column; otherwise whole rows. Appends the count, if any.
 */
export function tableWords({ header, rows, count }: TableAnswer, question: string): string {
  const person = /\bwho\b/i.test(question) ? header.findIndex((name) => personPattern.test(name.trim())) : -1;
  const lines = rows.map((row) =>
    person === -1 ? row.filter((cell) => cell !== '').join(' | ') : `${header[person] ?? ''}: ${row[person] ?? ''}`,
  );
  return `${lines.join('\n')}${count === null ? '' : ` (${count})`}`;
}
