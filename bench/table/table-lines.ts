import type { Goal } from './goals.ts';
import type { Line } from './summarise.ts';

const headings = ['figure', 'ours', 'anchor', 'value', 'spread', 'goal', 'met'] as const;

/**
 * Returns the table as lines of text: a heading, and one line per figure. A second line follows if the figure has an
 * anchor, a budget or a remark.
 */
export function tableLines(lines: readonly Line[]): string[] {
  const table = [[...headings], ...lines.map(cells)];
  const widths = headings.map((_heading, column) => Math.max(...table.map((row) => (row[column] ?? '').length)));
  const shown = table.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  '),
  );
  return [...shown.slice(0, 1), ...lines.flatMap((line, n) => [shown[n + 1] ?? '', ...below(line)])];
}

function cells({ goal, ours, anchor, value, isMet }: Line): string[] {
  const spread = value === null ? '' : `${short(value.least)} - ${short(value.most)}`;
  return [
    goal.figure,
    ours === null ? '-' : `${short(ours)} ${goal.unit}`,
    anchor === null ? '' : `${short(anchor)} ${goal.unit}`,
    value === null ? '-' : short(value.median),
    spread,
    goalText(goal),
    verdict(isMet),
  ];
}

function verdict(isMet: Line['isMet']): string {
  if (isMet === null) return '';
  return isMet ? 'met' : 'MISSED';
}

function below({ goal, note }: Line): string[] {
  const against = goal.anchor === null ? [] : [`against: ${goal.anchor}`];
  const budget = goal.isBudget === true ? ['a budget for an idle machine of two cores'] : [];
  const said = [...against, ...budget, ...(note === null ? [] : [note])];
  return said.length === 0 ? [] : [`    ${said.join('; ')}`];
}

function goalText({ atLeast, atMost, compare, unit }: Goal): string {
  const of = compare === 'ratio' ? '' : ` ${unit}`;
  if (atLeast !== undefined) return `>= ${atLeast}${of}`;
  return atMost === undefined ? '' : `<= ${compare === 'difference' ? '+' : ''}${atMost}${of}`;
}

/** Formats a number: without decimals from 100, with one from 10, with two from 0.1, with three below. */
function short(value: number): string {
  if (Math.abs(value) >= 100) return value.toFixed(0);
  return Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(Math.abs(value) >= 0.1 ? 2 : 3);
}
