import { safeStrings } from '../core/safe-text.ts';
import { type Paint, createPaint } from './paint.ts';
import type { Change, ReportDifference, RowDifference, RowState } from './diff-reports.ts';
import type { TerminalOptions } from './terminal.ts';
import { wrap } from './wrap.ts';

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
  const end = difference.worse ? paint.red('Something got worse.') : paint.green('Nothing got worse.');
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
