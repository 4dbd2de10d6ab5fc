import type { Operation } from '../operation.ts';
import type { Caller } from '../common/caller.ts';
import type { RunOfSession } from '#store/runs.ts';
import { findTaskOr404 } from './find-task.ts';
import { renderState } from './render-task.ts';

/** GET /tasks/{task_id}/status (companion 5.1). */
export const getTaskStatus: Operation<Caller, RunOfSession, RunOfSession> = {
  decide: findTaskOr404,
  apply: (found) => found,
  render: (found, caller) => ({ status: 200, body: renderState(found, caller) }),
};
