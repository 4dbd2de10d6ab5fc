import { shownStatus } from '#contract/run-views.ts';
import type { Operation } from '../operation.ts';
import type { Caller } from '../common/caller.ts';
import type { RunOfSession } from '#store/runs.ts';
import { findRunOr404 } from './find-run.ts';

/** GET /runs/{run_id}/status (companion 7.1). */
export const getRunStatus: Operation<Caller, RunOfSession, RunOfSession> = {
  decide: findRunOr404,
  apply: (found) => found,
  render: ({ run }, { rules }) => ({ status: 200, body: { status: shownStatus(rules, 'v4', run.status) } }),
};
