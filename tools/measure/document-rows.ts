import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type MeasureRow, rowAtMost } from './row.ts';
import { countLines } from './source-files.ts';

/** Measures documents, the top folder and the last benchmark. */
export function documentRows(root: string): MeasureRow[] {
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
