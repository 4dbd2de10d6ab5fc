import { problem } from '#contract/problems.ts';
import type { Operation } from '../operation.ts';
import type { Caller } from '../common/caller.ts';
import type { RunOfSession } from '#store/runs.ts';
import { findRunOr404 } from './find-run.ts';
import { renderRun } from './render-run.ts';
import { type WithFiles, runWithFiles } from './with-files.ts';

/** POST /runs/{run_id}/cancel (companion 7.1): only this run ends, its session goes on; a run that has ended is answered unchanged. */
export const cancelRun: Operation<Caller, RunOfSession, WithFiles<RunOfSession>> = {
  decide: findRunOr404,
  async apply(found, caller) {
    await caller.engine.stopRun(found);
    const now = await caller.engine.findRun(caller.scope, found.run.id);
    return now === null ? problem('run_not_found', {}) : runWithFiles(now, caller);
  },
  render: (found, caller) => ({ status: 200, body: renderRun(found, caller) }),
};
