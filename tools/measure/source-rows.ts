import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { parse } from 'yaml';
import { type MeasureRow, rowAtMost } from './row.ts';
import { type SourceFile, countLines } from './source-files.ts';

/**
 * States that are also words of other vocabularies (log levels, events, outcomes), so that their literals are not
 * counted.
 */
const homonyms = new Set(['error', 'failed', 'started', 'finished', 'active']);

/** Words of other vocabularies, by file. Each is a member of a union type there, so the compiler checks its spelling. */
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
  // States of a queued message.
  'src/store/queries/queue.ts': ['cancelled'],
};

/** Calls of Kysely that name a table, and SQL templates. */
const sqlPattern = /\.(?:selectFrom|insertInto|updateTable|deleteFrom)\(|\bsql(?:<[^`]*>)?`/;

/** Measures files one by one: how many, how long, how deep, and what they contain. */
export function sourceRows(root: string, files: readonly SourceFile[]): MeasureRow[] {
  const median = medianLines(files);
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

function medianLines(files: readonly SourceFile[]): number {
  const sorted = files.map(({ lines }) => lines).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** A row of spec/rules/lifecycle.yaml that names states. */
interface Lifecycle {
  readonly machines: readonly { readonly states: readonly { readonly name: string }[] }[];
  readonly views: readonly { readonly run: string; readonly status: string }[];
}

/** Reads every state that a session, task, run or browser can be in, without the homonyms. */
function readStates(root: string): ReadonlySet<string> {
  const { machines, views }: Lifecycle = parse(readFileSync(join(root, 'spec/rules/lifecycle.yaml'), 'utf8'));
  const names = [
    ...machines.flatMap(({ states }) => states.map(({ name }) => name)),
    ...views.flatMap(({ run, status }) => [run, status]),
  ];
  return new Set(names.filter((name) => !homonyms.has(name)));
}

/** Counts string literals that are states; a literal in the position of a type is checked by the compiler and not counted. */
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

/** Measures the share of folders with a README.md or with an index file that opens with a comment of at least 5 lines. */
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
