import type { Operation } from '../operation.ts';
import type { Caller } from '../common/caller.ts';
import type { RunOfSession } from '#store/runs.ts';
import { findRunOr404 } from './find-run.ts';
import { renderRun } from './render-run.ts';
import { type WithFiles, runWithFiles } from './with-files.ts';

/** GET /runs/{run_id} (companion 7.1). */
export const getRun: Operation<Caller, RunOfSession, WithFiles<RunOfSession>> = {
  decide: findRunOr404,
  apply: runWithFiles,
  render: (found, caller) => ({ status: 200, body: renderRun(found, caller) }),
};
