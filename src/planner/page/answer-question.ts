import { nodesIn, type PageNode, getText } from '#agent/page-node.ts';
import { readStatements, readTables, type Statement } from './read-tables.ts';
import { getDate } from './controls.ts';
import { getWords } from './words.ts';

/** A question, and the meaning of "it" in it. */
export interface Question {
  readonly text: string;
  readonly about: readonly string[];
}

/** Words of a question without information about the answer's name. */
const FILLERS = new Set(
  getWords(
    'tell give show let know report read out what which how many much who when where does say says get gets see have has had after before afterwards then now currently page box table list row column left right top bottom come comes end up they he she exactly here will would could can figure write written',
  ),
);
/** Words for kinds of answers, which a page may omit. */
const KINDS = new Set(getWords('number code figure name date time amount price reference'));
const SAYS =
  /\bwhat\s+(?:does\s+)?(?:the|this|that)\s+[\w ]+?\s+says?$|\bwhat\s+(?:it|the\s+page)\s+says$|\b(?:message|confirmation)\s+(?:that\s+)?(?:is\s+shown|appears|you\s+(?:get|see))$/i;
const NEWEST = /\b(?:newest|latest|most\s+recent|last)\b/i;
const OLDEST = /\b(?:oldest|earliest)\b/i;
const FIGURE =
  /\bhow\s+(?:many|much)\b|\bnumber\b|\btotal\b|\bprice\b|\bcosts?\b|\bcomes?\s+to\b|\bfigure\b|\bamount\b|\bbalance\b/i;
const TOP = /\b(?:first|top(?:most)?)\s+(?:row|line|entry|result)\b|\bat\s+the\s+top\b/i;

/** Returns the answer of a page in its own words; null without an answer or with several. */
export function answerQuestion(page: PageNode, question: Question): string | null {
  const { text } = question;
  const own = readOwn(page, text);
  if (own !== null) return own;
  const { words, rows } = asked(page, question);
  if (rows === null) return null;
  const wantsFigure = FIGURE.test(text);
  const all = readStatements(page).filter(
    ({ value, row }) => (!wantsFigure || /\d/.test(value)) && (rows === 'all' || (row !== null && rows.includes(row))),
  );
  const fits = all.flatMap((statement) => getFit(statement, words)).toSorted((a, b) => a.distance - b.distance);
  const [best] = fits;
  if (best === undefined) return null;
  const equals = fits.filter(({ distance }) => distance === best.distance);
  return equals.every(({ statement }) => statement.value === best.statement.value) ? best.statement.quote : null;
}

/** Answers a question about the page itself: its heading or current message. */
function readOwn(page: PageNode, text: string): string | null {
  if (/\b(?:main\s+)?heading\b/i.test(text)) {
    const headings = nodesIn(page).filter(({ role }) => role === 'heading');
    const main = headings.find(({ flags }) => flags.get('level') === '1') ?? headings[0];
    return main === undefined ? null : getText(main);
  }
  if (!SAYS.test(text)) return null;
  const said = nodesIn(page)
    .filter(({ role }) => role === 'status' || role === 'alert')
    .map(getText)
    .filter((each) => each !== '');
  return said.length === 0 ? null : said.join('\n');
}

interface Asked {
  readonly words: readonly string[];
  /** Requested rows; null when they are ambiguous. */
  readonly rows: readonly number[] | 'all' | null;
}

function asked(page: PageNode, { text, about }: Question): Asked {
  const usesIt = /\b(?:it|its|they|their|them|this|that)\b/i.test(text);
  const bare = text.replace(TOP, ' ').replace(NEWEST, ' ').replace(OLDEST, ' ');
  const words = getWords(bare).filter((word) => !FILLERS.has(word));
  const whole = usesIt ? [...new Set([...words, ...about.filter((word) => isShown(page, word))])] : words;
  if (TOP.test(text)) return { words: whole, rows: [0] };
  if (NEWEST.test(text) || OLDEST.test(text)) return extreme(page, whole, NEWEST.test(text));
  return { words: whole, rows: 'all' };
}

function isShown(page: PageNode, word: string): boolean {
  return readStatements(page).some(
    ({ label, beside, row }) => row !== null && getWords(`${label} ${beside}`).includes(word),
  );
}

/** Returns the row with the latest or earliest date of the only complete table with dates. */
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
  const isMissing = missing.some((word) => !KINDS.has(word) || !/\d/.test(statement.value));
  const inLabel = words.filter((word) => label.includes(word)).length;
  const isNews = getWords(statement.value).some((word) => !words.includes(word));
  // A named row without a column is an answer only if it has a single match.
  const byRow = statement.row !== null && getWords(statement.beside).some((word) => words.includes(word));
  if (words.length === 0 || isMissing || !isNews || (inLabel === 0 && !byRow)) return [];
  const extra = label.filter((word) => !words.includes(word)).length;
  const base = statement.rank * 2 + missing.length * 3 + (inLabel === 0 ? 4 : 0);
  return [{ statement, distance: base + (statement.rank < 2 ? extra : extra * 0.1) }];
}
