import type { JobSnapshot } from '../../core/apis.ts';
import { check, type Check, type CheckContext } from '../../core/check.ts';
import type { Exchange } from '../../core/exchange.ts';
import { describeProbe, refusesCell } from '../../common/acceptance-probes.ts';
import { show } from '../../core/text.ts';
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
import { findInterrupted, oneShotRun } from './scenarios.ts';
import { isSame } from '../../core/json.ts';

/** Checks of tasks and runs that worked at the same time, and of empty modelParams of each model. */
export const watchedTogetherChecks: readonly Check[] = [
  check('V4-RUN-33', { needs: [acceptedRuns, oneShotRun], phase: 'last' }, async (t) => {
    const recording = await t.recording(acceptedRuns);
    const jobs = recording.watched.flatMap(({ job, again, plain }) =>
      [job, again, plain].filter((one) => one !== undefined),
    );
    const pair = await t.recording(oneShotRun);
    const interrupted = findInterrupted(pair);
    if (worksAfter(pair.looks, interrupted?.dispatched))
      jobs.push({ ...pair, key: 'a task and a model', created: pair.dispatched });
    const follower = interrupted?.follower;
    if (follower !== undefined && worksAfter(pair.later?.watched?.looks ?? [], follower.created)) jobs.push(follower);
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

/** Returns true if the last snapshot of a run follows the creation of another run. */
function worksAfter(looks: readonly JobSnapshot[], created: Exchange | undefined): boolean {
  const last = looks.at(-1);
  return last !== undefined && created !== undefined && last.exchange.atMs > created.atMs;
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
