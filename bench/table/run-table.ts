import { calibrate } from '../sessions/calibration.ts';
import type { BenchRow } from './bench-row.ts';
import { type FigureId, type Goal, getGoal } from './goals.ts';
import { type BenchRun, beginRun } from './history.ts';
import { createStage } from './stage.ts';
import { type Line, summarise } from './summarise.ts';
import { creations, requests } from '../rows/requests.ts';
import { chromiumSuite, freeSuite, taskSuite } from '../rows/free-suite.ts';
import { gateway } from '../rows/gateway.ts';
import { generate, install, judge, tests } from '../rows/commands.ts';
import { liveView } from '../live-view.ts';
import { memory } from '../rows/memory.ts';
import { mocks } from '../rows/mocks.ts';
import { requestsPerKill } from '../rows/requests-per-kill.ts';
import { start, starts } from '../rows/starts.ts';

/** Figures to measure and their options. */
interface TableOptions {
  /** Figures by the beginnings of their names; empty for all except those measured on request. */
  readonly only: readonly string[];
  readonly rounds: number;
  /** Called with the current activity. */
  readonly onProgress: (text: string) => void;
}

/** Measures figures one after the other. A failing row is reported, and the others are measured. */
export async function runTable({ only, rounds, onProgress }: TableOptions): Promise<BenchRun> {
  const begun = beginRun();
  await using stage = createStage(rounds);
  const before = calibrate(stage.folder('calibration'));
  const lines: Line[] = [];
  for (const row of rows.filter((candidate) => isWanted(candidate, only))) {
    onProgress(row.ids.join(', '));
    const measured = await row
      .measure(stage)
      .catch((error: unknown) => row.ids.map((id) => ({ id, unmeasured: String(error) })));
    lines.push(...measured.map(summarise));
  }
  return { ...begun, calibration: [before, calibrate(stage.folder('calibration'))], lines };
}

function isWanted({ ids }: BenchRow, only: readonly string[]): boolean {
  const named = (id: FigureId): boolean => only.some((name) => id.startsWith(name));
  return only.length === 0 ? ids.some((id) => getGoal(id).onRequest !== true) : ids.some(named);
}

/** All rows in order. Together they measure every figure once. */
const rows: readonly BenchRow[] = [
  requests,
  creations,
  mocks,
  start,
  freeSuite,
  taskSuite,
  chromiumSuite,
  judge,
  requestsPerKill,
  starts,
  gateway,
  liveView,
  memory,
  generate,
  tests,
  install,
];

const headings = ['figure', 'ours', 'anchor', 'value', 'spread', 'goal', 'met'] as const;

/** Returns the table as text: one line per figure, with its anchor below it. */
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
    isMet === null ? '' : isMet ? 'met' : 'MISSED',
  ];
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

/** Formats a number with three significant digits at most. */
function short(value: number): string {
  if (Math.abs(value) >= 100) return value.toFixed(0);
  return Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(Math.abs(value) >= 0.1 ? 2 : 3);
}
