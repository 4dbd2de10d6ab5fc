import { calibrate } from '../sessions/calibration.ts';
import type { BenchRow } from './bench-row.ts';
import { type FigureId, getGoal } from './goals.ts';
import { type BenchRun, beginRun } from './history.ts';
import { createStage } from './stage.ts';
import { type Line, summarise } from './summarise.ts';
import { creations, mocks, requests } from '../rows/requests.ts';
import { chromiumSuite, freeSuite, taskSuite } from '../rows/free-suite.ts';
import { gateway } from '../rows/gateway.ts';
import { generate, install, judge, tests } from '../rows/commands.ts';
import { liveView } from '../live-view.ts';
import { memory } from '../rows/memory.ts';
import { requestsPerKill } from '../rows/requests-per-kill.ts';
import { start, starts } from '../rows/starts.ts';

/** Options of a run of the table, such as the figures to measure. */
interface TableOptions {
  /**
   * Beginnings of names of figures. A row is measured if the name of one of its figures has such a beginning. If the
   * list is empty, all rows are measured, except rows whose figures all are `onRequest`.
   */
  readonly only: readonly string[];
  readonly rounds: number;
  /** Called with the current activity. */
  readonly onProgress: (text: string) => void;
}

/**
 * Measures the rows one after the other. If a row fails, its figures have the error as a remark, and the next row is
 * measured.
 */
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

/** All rows of the benchmark, in the order in which they are measured. Each figure belongs to exactly one row. */
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
