import { shownStatus } from '#domain/run-views.ts';
import type { Operation } from '#http/operation.ts';
import type { Caller } from '../shared/caller.ts';
import type { RunOfSession } from '../storage/runs.ts';
import { findRunOr404 } from './find-run.ts';

/** GET /runs/{run_id}/status (companion 7.1). */
export const getRunStatus: Operation<Caller, RunOfSession, RunOfSession> = {
  decide: findRunOr404,
  apply: (found) => found,
  render: ({ run }, { rules }) => ({ status: 200, body: { status: shownStatus(rules, 'v4', run.status) } }),
};
