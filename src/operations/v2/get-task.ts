import type { Operation } from '../operation.ts';
import type { Caller } from '../common/caller.ts';
import type { RunOfSession } from '#store/runs.ts';
import { findTaskOr404 } from './find-task.ts';
import { type WholeTask, renderTask, wholeTask } from './render-task.ts';

/** GET /tasks/{task_id} (companion 5.1). */
export const getTask: Operation<Caller, RunOfSession, WholeTask> = {
  decide: findTaskOr404,
  apply: wholeTask,
  render: (task, caller) => ({ status: 200, body: renderTask(task, caller) }),
};
