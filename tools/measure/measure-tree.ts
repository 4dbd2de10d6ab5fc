import { type SourceFile, countLines, readProductionFiles } from './source-files.ts';
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findCycles, folderGraph } from './graph.ts';
import ts from 'typescript';
import { parse } from 'yaml';
import { getMedian } from './evidence.ts';

/** Returns the measured rows for the tree below a root folder, in the order in which the table prints them. */
export function measureTree(root: string): MeasureRow[] {
  const files = readProductionFiles(root);
  return [...sourceRows(root, files), ...graphRows(files), ...documentRows(root)];
}

/** Measures the decision records, the README, the number of files in the root folder, and the last benchmark. */
function documentRows(root: string): MeasureRow[] {
  const records = globSync('docs/decisions/[0-9]*.md', { cwd: root });
  const words = records.map((file) => countWords(readFileSync(join(root, file), 'utf8')));
  const total = words.reduce((sum, value) => sum + value, 0);
  return [
    rowAtMost({ id: 'decision-records', label: 'decision records', now: [records.length] }, 25),
    rowAtMost({ id: 'decision-words', label: 'words of decision records', now: [total] }, 8000),
    readmeRow(root),
    rowAtMost({ id: 'top-files', label: 'files in the top folder', now: [topFiles(root).length] }, 16),
    benchRow(root),
  ];
}

function countWords(text: string): number {
  return text.split(/\s+/).filter((word) => word !== '').length;
}

function readmeRow(root: string): MeasureRow {
  const text = readFileSync(join(root, 'README.md'), 'utf8');
  const lines = countLines(text);
  const pictures = [...text.matchAll(/!\[[^\]]*\]\((docs\/images\/[^)]+)\)/g)].filter(([, file = '']) =>
    existsSync(join(root, file)),
  ).length;
  return {
    id: 'readme',
    label: 'README: lines / pictures',
    now: [lines, pictures],
    target: '<= 150 / 2',
    isMet: lines <= 150 && pictures >= 2,
  };
}

/** Returns the files directly in the root folder that Git tracks or would add. */
function topFiles(root: string): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  return listed.split('\n').filter((file) => file !== '' && !file.includes('/') && existsSync(join(root, file)));
}

/**
 * Returns the last result of `npm run bench` for GET of a session: the requests per second of the service, divided by
 * those of the bare framework.
 */
function benchRow(root: string): MeasureRow {
  const history = readFileSync(join(root, 'docs/evidence/bench-history.jsonl'), 'utf8').trim().split('\n');
  const runs: { figures: Record<string, { value: number } | undefined> }[] = history.map((line) => JSON.parse(line));
  const value = runs.findLast(({ figures }) => figures['get-session'])?.figures['get-session']?.value ?? 0;
  return {
    id: 'get-session',
    label: 'GET of a session / bare framework (last `npm run bench`)',
    now: [Number(value.toFixed(2))],
    target: '>= 0.45',
    isMet: value >= 0.45,
  };
}

/** Matches files in folders that may have any number of importers. */
const sharedFolders = /^(?:conformance\/core|src\/lib|src\/contract)\//;

/**
 * Measures the graph of imports: cycles of files, cycles of folders, and the number of importers of the most imported
 * file.
 */
function graphRows(files: readonly SourceFile[]): MeasureRow[] {
  const graph = new Map(files.map(({ path, imports }) => [path, new Set(imports)]));
  const cyclicFolders = (root: string): number => findCycles(folderGraph(graph, root)).flat().length;
  return [
    rowAtMost(
      {
        id: 'largest-cycle',
        label: 'largest cycle of files, type imports included',
        now: [findCycles(graph)[0]?.length ?? 0],
      },
      0,
    ),
    rowAtMost(
      {
        id: 'cyclic-folders',
        label: 'cyclic folders: src / conformance / src/browsers',
        now: ['src', 'conformance', 'src/browsers'].map(cyclicFolders),
      },
      0,
    ),
    rowAtMost(
      {
        id: 'largest-fan-in',
        label: 'most importers of a file outside core, lib, contract',
        now: [largestFanIn(files)],
      },
      50,
    ),
  ];
}

function largestFanIn(files: readonly SourceFile[]): number {
  const importers = new Map<string, number>();
  for (const path of files.flatMap(({ imports }) => imports))
    if (!sharedFolders.test(path)) importers.set(path, (importers.get(path) ?? 0) + 1);
  return Math.max(0, ...importers.values());
}

/**
 * Names of states that are also words of other vocabularies (log levels, events, outcomes). Their literals are not
 * counted.
 */
const homonyms = new Set(['error', 'failed', 'started', 'finished', 'active']);

/**
 * Literals that equal the name of a state but have another meaning, by file. Each is a member of a union type in its
 * file, so the compiler checks its spelling.
 */
const otherVocabularies: Readonly<Record<string, readonly string[]>> = {
  // DevTools events, values that Chromium shows to pages, and faults of a tab.
  'src/browsers/downloads/watch-downloads.ts': ['completed'],
  'src/browsers/stealth/masks.ts': ['running'],
  'src/browsers/live/tabs.ts': ['crashed'],
  // Labels of metrics.
  'src/platform/metrics/create-metrics.ts': ['running', 'crashed'],
  // Ends of tasks from outside (`TaskEndKind`), and their words in traces.
  'src/sessions/book-step.ts': ['stopped'],
  'src/sessions/create-engine.ts': ['stopped'],
  'src/sessions/execute-run.ts': ['crashed'],
  'src/sessions/model/metered-model.ts': ['stopped'],
  'src/sessions/stop-session.ts': ['stopped'],
  'src/sessions/stop-task.ts': ['stopped'],
  // States of a queued message.
  'src/store/queries/queue.ts': ['cancelled'],
};

/** Matches SQL templates, and calls of Kysely that name a table. */
const sqlPattern = /\.(?:selectFrom|insertInto|updateTable|deleteFrom)\(|\bsql(?:<[^`]*>)?`/;

/**
 * Measures the files: their number, length and depth, the state names and SQL in them, and the folders with an index
 * comment.
 */
function sourceRows(root: string, files: readonly SourceFile[]): MeasureRow[] {
  const median = getMedian(files.map(({ lines }) => lines));
  const importers = Map.groupBy(
    files.flatMap(({ imports }) => imports),
    (path) => path,
  );
  const isLone = ({ path, lines }: SourceFile): boolean => lines <= 30 && importers.get(path)?.length === 1;
  const count = (matches: (file: SourceFile) => boolean): number[] => [files.filter(matches).length];
  return [
    rowAtMost({ id: 'production-files', label: 'production files', now: [files.length] }, 1300),
    {
      id: 'median-lines',
      label: 'file lines, median',
      now: [median],
      target: '60 to 100',
      isMet: median >= 60 && median <= 100,
    },
    rowAtMost({ id: 'tiny-files', label: 'files of <= 15 lines', now: count(({ lines }) => lines <= 15) }, 60),
    rowAtMost({ id: 'lone-files', label: 'files of <= 30 lines with exactly one importer', now: count(isLone) }, 80),
    rowAtMost(
      {
        id: 'deep-files',
        label: 'files below more than 4 folders',
        now: count(({ path }) => path.split('/').length - 1 > 4),
      },
      0,
    ),
    rowAtMost(
      {
        id: 'sql-outside-store',
        label: 'files with SQL outside the store',
        now: count(({ path, text }) => !path.startsWith('src/store/') && sqlPattern.test(text)),
      },
      0,
    ),
    rowAtMost(
      {
        id: 'state-literals',
        label: 'state words as literals in src outside the contract',
        now: [countStateLiterals(root, files)],
      },
      0,
    ),
    indexRow(root, files),
  ];
}

/** The members of spec/rules/lifecycle.yaml that name states. */
interface Lifecycle {
  readonly machines: readonly { readonly states: readonly { readonly name: string }[] }[];
  readonly views: readonly { readonly run: string; readonly status: string }[];
}

/** Returns the name of every state of a session, task, run or browser, without the homonyms. */
function readStates(root: string): ReadonlySet<string> {
  const { machines, views }: Lifecycle = parse(readFileSync(join(root, 'spec/rules/lifecycle.yaml'), 'utf8'));
  const names = [
    ...machines.flatMap(({ states }) => states.map(({ name }) => name)),
    ...views.flatMap(({ run, status }) => [run, status]),
  ];
  return new Set(names.filter((name) => !homonyms.has(name)));
}

/**
 * Counts the string literals in src (except src/contract) that equal the name of a state. Does not count
 * `otherVocabularies`, and literals in types, whose spelling the compiler checks.
 */
function countStateLiterals(root: string, files: readonly SourceFile[]): number {
  const states = readStates(root);
  let found = 0;
  const visit = (node: ts.Node, others: readonly string[]): void => {
    if (ts.isLiteralTypeNode(node)) return;
    if (ts.isStringLiteral(node) && states.has(node.text) && !others.includes(node.text)) found += 1;
    ts.forEachChild(node, (child) => visit(child, others));
  };
  for (const { path, text } of files)
    if (path.startsWith('src/') && !path.startsWith('src/contract/'))
      visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest), otherVocabularies[path] ?? []);
  return found;
}

/**
 * Measures the percentage of folders with a README.md, or with an `index.ts` that begins with a comment of at least 5
 * lines.
 */
function indexRow(root: string, files: readonly SourceFile[]): MeasureRow {
  const folders = [...new Set(files.map(({ path }) => path.slice(0, path.lastIndexOf('/'))))];
  const indexed = folders.filter((folder) => {
    const index = files.find(({ path }) => path === `${folder}/index.ts`);
    const comment = /^\s*\/\*\*.*?\*\//s.exec(index?.text ?? '')?.[0] ?? '';
    return countLines(comment) >= 5 || existsSync(join(root, folder, 'README.md'));
  });
  const share = Math.floor((100 * indexed.length) / folders.length);
  return {
    id: 'indexed-folders',
    label: 'folders with an index comment, %',
    now: [share],
    target: '100',
    isMet: share === 100,
  };
}

/** One line of the table: a property of the code base, its value now and the value to reach. */
export interface MeasureRow {
  /**
   * Key of the row in docs/evidence/measure.jsonl. It never changes, so that rows of different commits can be compared.
   */
  readonly id: string;
  readonly label: string;
  /**
   * Current values: one number for most rows, several for a row that measures several things, such as "README: lines /
   * pictures".
   */
  readonly now: readonly number[];
  /** Target of the row in printed form, such as `<= 80`. */
  readonly target: string;
  readonly isMet: boolean;
}

/** Returns a row that is met if each of its values is at most `limit`. */
function rowAtMost(row: Omit<MeasureRow, 'target' | 'isMet'>, limit: number): MeasureRow {
  return { ...row, target: limit === 0 ? '0' : `<= ${limit}`, isMet: row.now.every((value) => value <= limit) };
}
