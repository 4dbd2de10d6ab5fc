import { problem } from '#domain/problems.ts';
import type { Operation } from '#http/operation.ts';
import type { Caller } from '../shared/caller.ts';
import type { RunOfSession } from '../storage/runs.ts';
import { findRunOr404 } from './find-run.ts';
import { renderRun } from './render-run.ts';

/** POST /runs/{run_id}/cancel (companion 7.1): only this run ends, its session goes on; a run that has ended is answered unchanged. */
export const cancelRun: Operation<Caller, RunOfSession, RunOfSession> = {
  decide: findRunOr404,
  async apply(found, { engine, scope }) {
    await engine.stopRun(found);
    const now = await engine.findRun(scope, found.run.id);
    return now ?? problem('run_not_found', {});
  },
  render: (found, caller) => ({ status: 200, body: renderRun(found, caller) }),
};
