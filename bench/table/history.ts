import { appendFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { currentCommit } from '../../tools/measure/evidence.ts';
import type { Calibration } from '../sessions/calibration.ts';
import type { Line } from './summarise.ts';

/** File with the results of the benchmark by commit, one JSON object per line. */
export const historyFile = 'docs/evidence/bench-history.jsonl';

/** One run of the benchmark table. */
export interface BenchRun {
  /** Abbreviated commit id, with `+` if tracked files had changed since the commit. */
  readonly commit: string;
  /** Start time of the run, ISO 8601. */
  readonly at: string;
  readonly processors: number;
  /** Load average of the machine in the minute before the run. Above 0.5, other programs used the processors. */
  readonly load: number;
  /** Speed of the machine: one measurement before the first figure and one after the last. */
  readonly calibration: readonly Calibration[];
  readonly lines: readonly Line[];
}

/** Returns the members of a run that are known at its start. */
export function beginRun(): Pick<BenchRun, 'commit' | 'at' | 'processors' | 'load'> {
  return {
    commit: currentCommit(),
    at: new Date().toISOString(),
    processors: availableParallelism(),
    load: rounded(loadavg()[0] ?? Number.NaN),
  };
}

/**
 * Returns a run as a line of the history: the value and spread of each figure, and whether the figure met its target.
 */
function historyLine({ lines, calibration, ...run }: BenchRun): string {
  const figures = lines.flatMap(({ id, value, isMet }) =>
    value === null
      ? []
      : [[id, { value: rounded(value.median), least: rounded(value.least), most: rounded(value.most), isMet }]],
  );
  const machine = calibration.map(({ hashMs, syncMs }) => ({ hashMs: rounded(hashMs), syncMs: rounded(syncMs) }));
  return JSON.stringify({ ...run, calibration: machine, figures: Object.fromEntries(figures) });
}

/** Adds a run to the history. */
export function keepRun(run: BenchRun): void {
  appendFileSync(historyFile, `${historyLine(run)}\n`);
}

function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
