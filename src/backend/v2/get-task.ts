import type { Operation } from '#http/operation.ts';
import type { Caller } from '../shared/caller.ts';
import type { RunOfSession } from '../storage/runs.ts';
import { findTaskOr404 } from './find-task.ts';
import { type TaskWithSteps, renderTask } from './render-task.ts';

/** GET /tasks/{task_id} (companion 5.1). */
export const getTask: Operation<Caller, RunOfSession, TaskWithSteps> = {
  decide: findTaskOr404,
  apply: async (found, { engine }) => ({ ...found, steps: await engine.stepsOf(found.run.id) }),
  render: (task, caller) => ({ status: 200, body: renderTask(task, caller) }),
};
