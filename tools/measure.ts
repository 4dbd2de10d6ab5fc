import { appendFileSync } from 'node:fs';
import { currentCommit } from './measure/evidence.ts';
import { measureTree, type MeasureRow } from './measure/measure-tree.ts';
import { formatTable, printLine } from '../src/cli/print.ts';

/**
 * npm run measure [-- --keep | --strict]
 * Prints the size, depth and cycles of the code beside their targets. `--keep` adds the values to the history, one line
 * per commit; `--strict` exits with 1 when a target is missed.
 */
const historyFile = 'docs/evidence/measure.jsonl';

function printTable(rows: readonly MeasureRow[]): void {
  const cells = rows.map(({ label, now, target, isMet }) => [label, now.join(' / '), target, isMet ? 'yes' : 'no']);
  printLine(formatTable([['row', 'now', 'target', 'met'], ...cells]));
}

/** Adds the values to the history as one line. */
function keepRows(rows: readonly MeasureRow[]): void {
  const values = Object.fromEntries(rows.map(({ id, now }) => [id, now.length === 1 ? now[0] : now]));
  const line = { commit: currentCommit(), at: new Date().toISOString(), values };
  appendFileSync(historyFile, `${JSON.stringify(line)}\n`);
  console.log(`\nadded to ${historyFile}`);
}

const rows = measureTree('.');
printTable(rows);
if (process.argv.includes('--keep')) keepRows(rows);
if (process.argv.includes('--strict') && rows.some(({ isMet }) => !isMet)) process.exitCode = 1;
