import { NotTestable } from '../../core/outcome.ts';
import { check, type Check, type CheckContext } from '../../core/check.ts';
import { describeProbe, refusesCell } from '../../common/acceptance-probes.ts';
import { show } from '../../common/session-records.ts';
import {
  expectEnds,
  expectOwnResults,
  hasCompleted,
  hasFailed,
  lastLook,
  type WatchedJob,
} from '../../common/watched-jobs.ts';
import { isEmptyParams, runTable } from './accepted-cells.ts';
import { type AcceptedJobs, acceptedRuns } from './scenarios-accepted.ts';
import { optionTasks } from './scenarios-creation.ts';
import { oneShotRun, type RunPair } from './scenarios.ts';
import { isSame } from '../../core/json.ts';

/** Checks of tasks and runs that worked at the same time, and of empty modelParams of each model. */
export const watchedTogetherChecks: readonly Check[] = [
  check('V4-RUN-33', { needs: [acceptedRuns, oneShotRun], phase: 'last' }, async (t) => {
    const recording = await t.recording(acceptedRuns);
    const jobs = recording.watched.flatMap(({ job, again, plain }) =>
      [job, again, plain].filter((one) => one !== undefined),
    );
    const pair = await t.recording(oneShotRun);
    if (wasBeside(pair)) jobs.push({ ...pair, key: 'a task and a model', created: pair.dispatched });
    if (!jobs.some(({ looks }) => looks.length > 0)) t.notTestable('no two runs were seen to work at the same time');
    expectEnds(t, 'run', jobs);
    expectOwnResults(t, 'run', jobs);
    expectUndisturbed(t, recording);
  }),
  check('V2-TASK-12', { needs: [optionTasks], phase: 'last' }, async (t) => {
    const { thinking, nullLevel } = await t.recording(optionTasks);
    const jobs: WatchedJob[] = [thinking, nullLevel];
    if (!jobs.some(({ looks }) => looks.length > 0)) t.notTestable('no task was polled beside another one');
    expectEnds(t, 'task', jobs);
    expectOwnResults(t, 'task', jobs);
  }),
  check('V4-PARAMS-37', { needs: [acceptedRuns] }, async (t) => {
    const { probes } = await t.recording(acceptedRuns);
    const empty = probes.filter(({ cell }) => isEmptyParams(cell));
    if (empty.length === 0) t.notTestable('requests that are refused for another reason show nothing of their values');
    for (const probe of empty) {
      const { cell, exchange } = probe;
      const isRefused = refusesCell(probe, runTable(t.target).isAbout);
      t.expect(!isRefused, { cell: cell.key, exchange, message: describeProbe(probe) });
    }
  }),
];

/** Returns true if the first run was still polled after the creation of the run that was cancelled. */
function wasBeside({ looks, interrupted }: RunPair): boolean {
  const last = looks.at(-1);
  try {
    return last !== undefined && last.exchange.atMs > interrupted().dispatched.atMs;
  } catch (error) {
    if (error instanceof NotTestable) return false;
    throw error;
  }
}

/**
 * Judges that the cancellation of one run does not end other runs. A watched run must not end with the status of a run
 * that the suite has cancelled, if the same request completes afterwards.
 */
function expectUndisturbed(t: CheckContext, { watched, stopped: other }: AcceptedJobs): void {
  // With one word for all ends, a failure looks like a cancellation.
  if (other?.phase !== 'ended' || t.jobs.run.target().states.ended.length < 2) return;
  for (const { job, again } of watched) {
    const last = lastLook(job);
    if (last === undefined || again === undefined || !hasCompleted(again)) continue;
    const isStopped = hasFailed(t, job) && isSame(last.status, other.status);
    const message = `a run with ${job.key} ended as ${show(last.status)} while other runs were cancelled, and completed when it was sent again; expected that a cancellation ends one run`;
    t.expect(!isStopped, { exchange: last.exchange, message });
  }
}
