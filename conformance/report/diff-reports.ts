import { formatDecimal, parseDecimal, sumDecimals } from '../core/decimal.ts';
import type { Report, ReportRow, Verdict } from '../core/report.ts';
import { safeStrings } from '../core/safe-text.ts';
import { type Paint, createPaint } from './paint.ts';
import type { TerminalOptions } from './terminal.ts';
import { wrap } from './wrap.ts';

/**
 * How a row changed between two reports. `new`: only the later report has the row; `gone`: only the earlier report has
 * it. `other`: the row is neither worse nor better, but has another verdict, or another number of cells or judged
 * cells.
 */
export type Change = 'worse' | 'better' | 'other' | 'new' | 'gone';

/** A row that differs between the two reports. */
export interface RowDifference {
  id: string;
  level: ReportRow['level'];
  text: string;
  change: Change;
  /**
   * State of the row in the earlier report; absent if this report does not contain the row. `after` is its state in the
   * later report; absent if the later report does not contain the row.
   */
  before?: RowState;
  after?: RowState;
}

/** State of a row in one report. */
export interface RowState {
  verdict: Verdict;
  cells: ReportRow['cells'];
  reason?: string;
  /** Message of the first finding. */
  message?: string;
}

/** Differences between two reports. */
export interface ReportDifference {
  schema: 'svc-report-diff/1';
  /** True if at least one row is worse, or a new row is a note, warning, error or violation. */
  worse: boolean;
  rows: RowDifference[];
  requests: { before: number; after: number };
  /** Costs as decimal strings in US dollars; `difference` may be negative. */
  spentUsd: { before: string; after: string; difference: string };
  left: { before: number; after: number };
  created: { before: number; after: number };
  durationMs: { before: number; after: number };
}

/**
 * Rank of each verdict; a higher rank is worse. Rows without a verdict rank between a pass and a fault: a row that
 * passed and is no longer judged is worse, and so is a fault in a row that was not judged before.
 */
const badness: Readonly<Record<Verdict, number>> = {
  pass: 0,
  notTestable: 1,
  notRun: 1,
  note: 2,
  warning: 3,
  error: 4,
  violation: 5,
};

const changes: readonly Change[] = ['worse', 'new', 'better', 'other', 'gone'];

/** Returns the changes from one report to the next, ordered by kind: worse, new, better, other, gone. */
export function diffReports(before: Report, after: Report): ReportDifference {
  const old = new Map(before.requirements.map((row) => [row.id, row]));
  const fresh = new Map(after.requirements.map((row) => [row.id, row]));
  const rows = [...new Set([...old.keys(), ...fresh.keys()])].flatMap((id) => compareRows(old.get(id), fresh.get(id)));
  const pair = (read: (report: Report) => number): { before: number; after: number } => ({
    before: read(before),
    after: read(after),
  });
  return {
    schema: 'svc-report-diff/1',
    worse: rows.some((row) => row.change === 'worse' || (row.change === 'new' && isFault(row.after))),
    rows: rows.toSorted((left, right) => changes.indexOf(left.change) - changes.indexOf(right.change)),
    requests: pair(({ exchangeCount }) => exchangeCount),
    spentUsd: {
      before: before.spentUsd,
      after: after.spentUsd,
      difference: minus(after.spentUsd, before.spentUsd),
    },
    left: pair(({ left }) => left.length),
    created: pair(({ created }) => created.length),
    durationMs: pair(({ durationMs }) => durationMs),
  };
}

function compareRows(old: ReportRow | undefined, fresh: ReportRow | undefined): RowDifference[] {
  const row = fresh ?? old;
  if (row === undefined) return [];
  const { id, level, text } = row;
  const change = classifyChange(old, fresh);
  if (change === undefined) return [];
  return [
    {
      id,
      level,
      text,
      change,
      ...(old === undefined ? {} : { before: toRowState(old) }),
      ...(fresh === undefined ? {} : { after: toRowState(fresh) }),
    },
  ];
}

function classifyChange(old: ReportRow | undefined, fresh: ReportRow | undefined): Change | undefined {
  if (old === undefined) return 'new';
  if (fresh === undefined) return 'gone';
  const step = badness[fresh.verdict] - badness[old.verdict];
  if (step !== 0) return step > 0 ? 'worse' : 'better';
  if (old.verdict !== fresh.verdict) return 'other';
  const more = fresh.cells.failed - old.cells.failed;
  if (more !== 0) return more > 0 ? 'worse' : 'better';
  return old.cells.judged === fresh.cells.judged && old.cells.total === fresh.cells.total ? undefined : 'other';
}

function toRowState({ verdict, cells, reason, failures }: ReportRow): RowState {
  const message = failures[0]?.message;
  return { verdict, cells, ...(reason === undefined ? {} : { reason }), ...(message === undefined ? {} : { message }) };
}

function isFault(state: RowState | undefined): boolean {
  return state !== undefined && badness[state.verdict] >= badness.note;
}

function minus(left: string, right: string): string {
  const [from, taken] = [parseDecimal(left), parseDecimal(right)];
  if (from === undefined || taken === undefined) return '0';
  return formatDecimal(sumDecimals([from, { ...taken, value: -taken.value }]));
}

const titles: Readonly<Record<Change, string>> = {
  worse: 'Worse',
  new: 'New',
  better: 'Better',
  other: 'Otherwise changed',
  gone: 'Gone',
};

/** Renders the differences between two reports as text. */
export function renderDiff(found: ReportDifference, options: TerminalOptions = {}): string {
  const difference = safeStrings(found);
  const paint = createPaint(options.colour ?? false);
  const width = options.columns ?? 80;
  const groups = Map.groupBy(difference.rows, ({ change }) => change);
  const sections = [...groups].map(([change, rows]) =>
    [paint.bold(`${titles[change]} (${rows.length})`), ...rows.map((row) => line(row, paint, width))].join('\n'),
  );
  const { requests, spentUsd, created, left } = difference;
  const facts = [
    `requests ${requests.before} -> ${requests.after}`,
    `created ${created.before} -> ${created.after}, left ${left.before} -> ${left.after}`,
    `spent ${spentUsd.before} -> ${spentUsd.after} US dollars (${spentUsd.difference.startsWith('-') ? '' : '+'}${spentUsd.difference})`,
  ];
  const end = difference.worse ? paint.red('A verdict got worse.') : paint.green('No verdict got worse.');
  return `${[...sections, [...facts, end].join('\n')].join('\n\n')}\n`;
}

function line({ id, level, change, before, after }: RowDifference, paint: Paint, width: number): string {
  const colours = { worse: paint.red, better: paint.green, new: paint.yellow, other: paint.dim, gone: paint.dim };
  const states = [before, after].flatMap((state) => (state === undefined ? [] : [stateText(state)])).join(' -> ');
  const why = after?.message ?? after?.reason;
  const lines = [`  ${colours[change](`${level} ${id}`)}  ${states}`];
  // A passed row has no reason, and the reason of a row that was unjudged before is not repeated.
  if (why !== undefined && (change === 'worse' || change === 'new')) lines.push(`    ${wrap(why, width, '    ')}`);
  return lines.join('\n');
}

function stateText({ verdict, cells }: RowState): string {
  if (cells.total === 1) return verdict;
  return `${verdict} (${cells.failed} failed, ${cells.judged} of ${cells.total} cells)`;
}
