import type { Failure, JudgedCell, ReportRow, Verdict } from '../core/report.ts';

/** The row of one shard. */
export interface RowPart {
  row: ReportRow;
  /** True if the row belongs to the shard. */
  isOwn: boolean;
}

/**
 * Order in which a verdict of one shard wins. A fault of any shard counts, so faults come first. A row that one shard
 * left undone is a gap, so notRun precedes pass. A row that one shard could not test is no gap if another shard judged
 * it, so notTestable is last.
 */
const order: readonly Verdict[] = ['violation', 'error', 'warning', 'note', 'notRun', 'pass', 'notTestable'];

/** Merges the rows of all shards into one row. Throws for an empty list. */
export function mergeRow(parts: readonly RowPart[]): ReportRow {
  const said = parts.filter(({ row, isOwn }) => isOwn || wasJudged(row)).map(({ row }) => row);
  const rows = said.length === 0 ? parts.map(({ row }) => row).slice(0, 1) : said;
  const [worst] = rows.toSorted((left, right) => order.indexOf(left.verdict) - order.indexOf(right.verdict));
  if (worst === undefined) throw new Error('a row is merged from at least one shard');
  if (rows.length === 1) return worst;
  const { reason: _reason, ...rest } = worst;
  const cells = mergeCells(rows);
  const reason = reasonOf(worst, rows, cells);
  return {
    ...rest,
    cells,
    ...(reason === undefined ? {} : { reason }),
    ...mergeJudgedCells(rows),
    failures: failuresOf(rows),
  };
}

// A row over all exchanges has a verdict in every shard with a relevant exchange.
function wasJudged({ verdict }: ReportRow): boolean {
  return verdict !== 'notRun' && verdict !== 'notTestable';
}

function failuresOf(rows: readonly ReportRow[]): Failure[] {
  const distinct = new Map<string, Failure>();
  for (const failure of rows.flatMap(({ failures }) => failures)) {
    const key = JSON.stringify([failure.cell, failure.message]);
    if (!distinct.has(key)) distinct.set(key, failure);
  }
  return [...distinct.values()];
}

// A report may omit passed cells, so the maximum of one shard is the minimum of the merged row.
function mergeCells(rows: readonly ReportRow[]): ReportRow['cells'] {
  const failed = new Set(rows.flatMap(({ failures }) => failures.map(({ cell }) => cell))).size;
  const named = new Set(rows.flatMap((row) => judgedCellsOf(row).map(({ cell }) => cell))).size;
  const judged = Math.max(named, failed, ...rows.map(({ cells }) => cells.judged));
  return { total: Math.max(judged, ...rows.map(({ cells }) => cells.total)), judged, failed };
}

function reasonOf(worst: ReportRow, rows: readonly ReportRow[], cells: ReportRow['cells']): string | undefined {
  // A fault of the suite is never hidden by a verdict that precedes it.
  const errors = rows.filter(({ verdict }) => verdict === 'error');
  const same = rows.filter(({ verdict }) => verdict === worst.verdict);
  const isWhole = worst.verdict === 'pass' && cells.judged === cells.total;
  const reasons = [...(isWhole ? [] : same), ...errors].flatMap(({ reason = '' }) => (reason === '' ? [] : [reason]));
  return reasons.length === 0 ? undefined : [...new Set(reasons)].join('; ');
}

function judgedCellsOf({ judgedCells = [] }: ReportRow): readonly JudgedCell[] {
  return judgedCells;
}

function mergeJudgedCells(rows: readonly ReportRow[]): Pick<ReportRow, 'judgedCells'> {
  const judged = Map.groupBy(rows.flatMap(judgedCellsOf), ({ cell }) => cell);
  const judgedCells = [...judged].map(([cell, seen]) => ({
    cell,
    verdict: seen.some(({ verdict }) => verdict === 'fail') ? ('fail' as const) : ('pass' as const),
  }));
  return judgedCells.length === 0 ? {} : { judgedCells };
}
