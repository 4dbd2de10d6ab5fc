import { type MeasureRow, rowAtMost } from './row.ts';
import { readProductionFiles, countLines, type SourceFile } from './source-files.ts';
import { sourceRows } from './source-rows.ts';
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findCycles, folderGraph } from './graph.ts';

/** Measures the tree below a root folder. The order of the rows is the order of the table. */
export function measureTree(root: string): MeasureRow[] {
  const files = readProductionFiles(root);
  return [...sourceRows(root, files), ...graphRows(files), ...documentRows(root)];
}

/** Measures documents, the top folder and the last benchmark. */
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

/** Lists the files directly in the root folder that belong to the repository, committed or not. */
function topFiles(root: string): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  return listed.split('\n').filter((file) => file !== '' && !file.includes('/') && existsSync(join(root, file)));
}

/** Reads the last measurement of `npm run bench`: time of the bare framework divided by time of the service. */
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

/** Folders that may have any number of importers. */
const sharedFolders = /^(?:conformance\/core|src\/lib|src\/contract)\//;

/** Measures the graph of imports: cycles of files and folders, and the most imported file. */
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
